"""Reads the texts and the JSON files of a book."""

import json

NOT_UTF8 = "is not UTF-8 text; save it as UTF-8 without a byte-order mark"

class ContentError(ValueError):
    """What a file contains is unusable. The text follows the file's name."""


def decoded(path):
    """A file's text. Editors put a byte-order mark in front, which is ignored here as in C++. ContentError if it is not UTF-8;
    UTF-16 without a mark has zero bytes."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ContentError(NOT_UTF8) from error
    if "\0" in text.rstrip("\0"):
        raise ContentError(NOT_UTF8)
    if text.endswith("\0"):
        raise ContentError("ends in zero bytes, which are no text; remove them")
    return text


def read_json(path):
    """What a JSON file contains. ContentError if an object has a key twice, or the file is no text; another ValueError if it is
    not JSON."""
    return json.loads(decoded(path), object_pairs_hook=with_each_key_once)


def with_each_key_once(pairs):
    """An object. Of a key that a merge left twice, json alone would keep the last value without a word; C++ refuses it too."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ContentError(f'expected each key once, not "{twice}" again; keep one of them')
    return found
