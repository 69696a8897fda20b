import os
import sys
import time

time.sleep(1000)
