"""A browser of March 2023, when Chrome 111, Firefox 111 and Safari 16.4 were current: a newer one without what they lack."""

import re

from playwright.sync_api import Browser, Route
from whole import Visit

# Names that no browser knows, in place of what at least one of the three lacks.
STYLES = [
    (r"\b(light-dark|color-mix)\(", r"x-\1("),
    (r":(has\(|popover-open)", r":x-\1"), (r"\[popover\]", "[x-popover]"), (r"(\d)r?lh\b", r"\1xlh"),
    (r"\btext-wrap:", "x-text-wrap:"),
    (r"(?<![\w-])(mask|print-color-adjust):", r"x-\1:"),
    (r"\btext-decoration:(?= *[\w-]+ (?!!)[^;}]*[;}])", "x-text-decoration:"),  # Safari takes the line alone
]
SCRIPTS = [(r"\(\?<[=!]", "(?<%"), (r"\bpopover: ", '"x-popover": ')]  # the former is a syntax error
PAGES = [
    (r" popover(target)?(?=[ =>])", r" x-popover\1"),
    (r"(?s)<style>.*?</style>", lambda found: rewritten(found[0], STYLES)),
]
MISSING = """
  const lack = (from, names) => names.split(" ").forEach(name => delete from?.[name]);
  lack(Object, "groupBy");
  lack(Map, "groupBy");
  lack(Array, "fromAsync");
  lack(Array.prototype, "toSorted toReversed toSpliced with");
  lack(Set.prototype, "union intersection difference symmetricDifference isSubsetOf isSupersetOf isDisjointFrom");
  lack(Promise, "withResolvers try");
  lack(URL, "canParse parse");
  lack(String.prototype, "isWellFormed toWellFormed");
  lack(AbortSignal, "any");
  const iterators = Object.getPrototypeOf(Object.getPrototypeOf([].keys()));
  lack(iterators, "map filter take drop flatMap reduce toArray forEach some every find");
  lack(Element.prototype, "checkVisibility setHTMLUnsafe moveBefore");
  lack(HTMLElement.prototype, "popover showPopover hidePopover togglePopover");
  lack(HTMLButtonElement.prototype, "popoverTargetElement popoverTargetAction");
  lack(Document.prototype, "startViewTransition");
  lack(window, "requestIdleCallback scheduler trustedTypes");
"""


def rewritten(text: str, changes: list) -> str:
    for old, new in changes:
        text = re.sub(old, new, text)
    return text


def answer(route: Route) -> None:
    kinds = {"stylesheet": STYLES, "script": SCRIPTS, "document": PAGES}
    if route.request.resource_type not in kinds:
        return route.continue_()
    response = route.fetch()
    return route.fulfill(response=response, body=rewritten(response.text(), kinds[route.request.resource_type]))


class OlderVisit(Visit):
    """A visit by such a browser."""

    def __init__(self, browser: Browser, address: str, **context) -> None:
        super().__init__(browser, "about:blank", **context)
        self.context.add_init_script(MISSING)
        self.context.route("**/*", answer)
        self.page.goto(address, wait_until="load")
