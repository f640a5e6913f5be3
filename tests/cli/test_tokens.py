"""The tokens of a source, for the key of a record: Clang must see the same tokens in all of the labs' C++."""

import re
import subprocess

import pytest
from programs import result_of

SOURCES = ["labs/*.cpp", "labs/*.cxx", "labs/*.hpp", "labs/*.cu", "labs/*.cuh"]
# A token as Clang prints it: kind 'spelling' [flags] Loc=<file:line:column>. Spellings and flags may contain newlines.
SHOWN = re.compile(r"^(\w+) '(.*?)'\t(?: \[[^\]]*\])*\tLoc=<([^>\n]*):\d+:\d+>$", re.DOTALL | re.MULTILINE)
ODD = r"""
a+++++b->*c<=>d...>>=e<<f.*g>>>h  A<::b>c<::>d<:::e<:0:>%>  1+2 .x 1e5+2 0x1-3 0x1p-3 0xAB'CDull 1..2 .5 1_km
größe $x u8"a"_s U'\'' L"\"//" R"x(a)" // )x"/**/LR"(\
"/*)" fooR"(a)" "a"'b'"c"
  # /* in a directive
*/ define /**/ F(x) #x x##x "\\" \
  R"(
)" // the end
y /*
*/
#
#include NAME
#include "odd.hpp" // no token
#define A (x)"""


def counted(directive):
    """The counted lines of a directive's tokens, each given with whether a blank precedes it."""
    words = [word for _, word in directive]
    if words[:2] == ["include", "<"]:
        end = words.index(">") + 1
        words[1:end] = ["".join(words[1:end])]
    if words[:1] == ["define"] and directive[2:3] == [(False, "(")]:
        words[1:3] = [words[1] + "("]
    of_the_project = len(words) == 2 and words[0] == "include" and words[1].startswith('"')
    return [] if of_the_project else ["[#", *words, "#]"]


def text_of(shown):
    """The counted text of a file, from the kinds and spellings that Clang prints."""
    lines, directive, blank, line_begins = [], None, True, True
    for kind, spelling in [*shown, ("unknown", "\n")]:
        if kind == "comment" or kind == "unknown" and spelling.isspace():
            blank = True
            if kind == "unknown" and "\n" in spelling:
                lines += counted(directive) if directive is not None else []
                directive, line_begins = None, True
        else:
            word = spelling.replace("\n", "\r")
            if directive is not None:
                directive.append((blank, word))
            elif kind == "hash" and line_begins:
                directive = []
            else:
                lines.append(word)
            blank, line_begins = False, False
    return lines


def clang(*files):
    """File → its counted text, by Clang's tokens."""
    command = ["clang++", "-std=c++20", "-fsyntax-only", "-Xclang", "-dump-raw-tokens", "-x", "c++", *files]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    shown = {str(file): [] for file in files}
    for kind, spelling, file in SHOWN.findall(run.stderr):
        shown[file].append((kind, spelling))
    return {file: text_of(tokens) for file, tokens in shown.items()}


def ours(root, *files):
    """File → its counted text; None if its bytes count instead."""
    run = subprocess.run([root / "build/bin/record-tokens", *files], capture_output=True, check=True)
    texts, lines = {}, []
    for line in run.stdout.decode().split("\n")[:-1]:
        mark, _, file = line.partition(" ")
        if mark in ("==", "??") and file:
            lines = []
            texts[file] = lines if mark == "==" else None
        else:
            lines.append(line)
    return texts


@pytest.mark.slow
def test_clang_sees_the_same_tokens_in_every_source(root, tmp_path, monkeypatch):
    monkeypatch.chdir(root)
    subprocess.run(["tools/build", "record-tokens"], check=True, stdout=subprocess.DEVNULL)
    listed = result_of("tools/list-files", *SOURCES, check=True).stdout.split()
    assert len(listed) > 400
    odd = tmp_path / "odd.cpp"
    odd.write_text(ODD)
    files = [*listed, str(odd)]
    by_clang, here = clang(*files), ours(root, *files)
    assert [file for file in files if here[file] is None] == []  # a comment in one of these would age a record
    assert [file for file in files if here[file] != by_clang[file]] == []
