# What cannot be captured, and records that nobody's recorder has written: one line each, and nothing is lost.
# covers: cmd_capture.c capture_folder.c capture.c capture_record.c
run capture
run capture -o there
run capture -o f -- no-such-program
run capture -o g --save 2X -- true
run capture -o g --save -1 -- true
run capture -o g --reference right -- true
run capture -o g --shapes 0 -- true
run capture -o a:b -- true
run capture -- true
run capture -o asctune-capture
mkdir shared && chmod 777 shared
run capture -o shared -- true
mkdir real && ln -s real link
run capture -o link -- true
mkdir -p hostile/records locked
echo '{"kernel": 0, "name": "x", "module": "m", "entry": "x", "source": "kernels/../../x.py", "parameters": []}' >hostile/records/1-0.jsonl
run capture -o hostile
echo 'no record' >hostile/records/1-0.jsonl
run capture -o hostile
: >hostile/records/1-0.jsonl
run capture -o hostile
: >file
run capture -o file/f -- true
