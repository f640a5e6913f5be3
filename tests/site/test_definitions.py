"""Links that show what they lead to, and entries that list where they are used."""

GLOSSARY = "# Glossary\n\n{.glossary}\nRidge\n: The corner of a {term}`roofline`.\n\nRoofline\n: A figure.\n"
EXTENSIONS = {"myst_enable_extensions": ["deflist", "attrs_block"], "extensions": ["myst_parser", "press", "book"]}


def write(site):
    site.page("# Book\n\n```{toctree}\n01-first\nglossary\n```\n")
    site.page("# First\n\nHere is a {term}`ridge`.\n", "01-first")
    site.page(GLOSSARY, "glossary")


def test_a_link_to_a_term_carries_its_meaning_as_plain_text(site):
    write(site)
    site.built(**EXTENSIONS)
    assert 'href="glossary.html#term-Ridge" title="The corner of a roofline."' in site.html("01-first")


def test_a_page_follows_a_definition_that_changed(site):
    write(site)
    site.build(**EXTENSIONS)
    site.page(GLOSSARY.replace("The corner of a {term}`roofline`.", "Where two lines meet."), "glossary")
    assert site.build(**EXTENSIONS).read == ["glossary"]
    assert 'title="Where two lines meet."' in site.html("01-first")


def test_a_term_names_the_chapters_that_use_it(site):
    write(site)
    site.build(**EXTENSIONS)
    assert 'title="Used in chapter 01">01</a>' in site.html("glossary")
    assert site.html("glossary").count("Used in") == 1
    site.page("# First\n\nA {term}`roofline`.\n", "01-first")
    site.build(**EXTENSIONS)
    assert site.text("glossary").endswith("A figure. → 01")


def test_sources_are_a_list_that_says_where_each_is_cited(book):
    page = (book / "references.html").read_text(encoding="utf-8")
    assert page.count("hf-uses") > 50 and "doc-biblioentry" not in page
    assert 'title="Used in chapter 01">01</a>' in page


def test_a_link_to_a_term_carries_one_sentence(site):
    write(site)
    meaning = "The corner of a {term}`roofline`, at 2.5 FLOP/byte, e.g. here. A second sentence."
    site.page(GLOSSARY.replace("The corner of a {term}`roofline`.", meaning), "glossary")
    site.build(**EXTENSIONS)
    assert 'title="The corner of a roofline, at 2.5 FLOP/byte, e.g. here."' in site.html("01-first")
    assert "A second sentence." in site.text("glossary")
