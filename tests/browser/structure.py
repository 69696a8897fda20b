"""The pages without a browser: what their markup alone says. Pages are well-formed XML."""
import xml.etree.ElementTree

KINDS = ("r_", "k_", "d_")  # ids of the page's own: no words for people


def has_class(e, name):
    return name in e.get("class", "").split()


def find_problems(path):
    """A line for each thing that is wrong."""
    everything = list(xml.etree.ElementTree.parse(path).getroot().iter())
    ids = [e.get("id") for e in everything if e.get("id")]
    out = ["id %s twice" % i for i in sorted({i for i in ids if ids.count(i) > 1})] if len(ids) < 5000 else []
    known = set(ids)
    out += ["%s leads nowhere" % e.get("href") for e in everything if e.get("href") and e.get("href")[1:] not in known]
    if sum(e.tag == "h1" for e in everything) != 1:
        out.append("not one h1")
    out += ["a table without a caption" for e in everything if e.tag == "table" and e.find("caption") is None]
    for e in everything:
        if e.tag == "svg" and e.get("role") == "img":
            title = e.find("title")
            words = (title.text if title is not None else None) or e.get("aria-label")
            if not words or words.startswith(KINDS):
                out.append("a picture without words: %s" % (e.get("class") or e.get("aria-labelledby")))
    return out


def best_is_first(path):
    """True when the table of the best stands before all cards."""
    for e in xml.etree.ElementTree.parse(path).getroot().iter():
        if e.get("id") == "best-all":
            return True
        if has_class(e, "card"):
            return False
    return False


def answer_is_first(path):
    """True when the first card, row of the best or of a comparison, or the sentence that nothing changed, stands before everything that is folded or
    drawn large."""
    best = False
    for e in xml.etree.ElementTree.parse(path).getroot().iter():
        best = best or e.get("id") in ("best-all", "compared")
        if has_class(e, "card") or (best and e.tag in ("tbody", "p")):
            return True
        if e.tag in ("details", "figure"):
            return False
    return False
