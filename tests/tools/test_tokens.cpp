#include "record/tokens.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using Texts = std::vector<std::string>;

// The tokens on one line, with a space after each.
std::string tokens(const std::string& source) {
  std::string text = hf::tokens_of(source).value_or("in doubt\n");
  std::ranges::replace(text, '\n', ' ');
  return text;
}

void check_each_is_one_token(const Texts& texts) {
  for (const std::string& text : texts) CHECK(tokens(text) == text + " ");
}

void check_doubt(const Texts& sources) {
  for (const std::string& source : sources) {
    CAPTURE(source);
    CHECK(hf::tokens_of(source) == std::nullopt);
  }
}

}  // namespace

TEST_CASE("comments, layout and the includes of the project are no tokens") {
  for (const std::string& same :
       Texts{"int f(int x) { return x + 1; }", "int f(int x) {\n\n\n  return x + 1;\n}\n",
             "int f(int x) {\r\n\treturn x+1;\r\n}\r\n",
             "// one\nint f(int x) { /* two\n lines */ return x + 1; }  // end",
             "/* it's */ int/**/f(int x){return x/*\"*/+1;}  // don't \"",
             "// a \\ b\nint f(int x) { return x + 1; }  // c:\\d",
             "// [begin: f]\nint f(int x) { return x + 1; }\n// [end: f]\n",
             "#include \"f.hpp\"\n #\tinclude /* a */ \"a/b.hpp\"  // b\nint f(int x) { return x + 1; }",
             "int f(int x) {\n#include \"f.inc\"\nreturn x + 1; }\n#include\"end.hpp\""}) {
    CAPTURE(same);
    CHECK(tokens(same) == "int f ( int x ) { return x + 1 ; } ");
  }
  CHECK(hf::tokens_of("") == "");
  CHECK(hf::tokens_of("\n// nothing") == "");
}

TEST_CASE("a text that is only shown is no token; an id beside it, and a text elsewhere, is one") {
  CHECK(tokens("{\"packed\", shown_as(\"packing\"), f(\"x\")}") == "{ \"packed\" , shown_as ( ) , f ( \"x\" ) } ");
  CHECK(tokens("lab.note(\"N = \" + std::to_string(f(n)) + \" is \"\n\"slow\"); g(\"x\");") ==
        "lab . note ( + std :: to_string ( f ( n ) ) + ) ; g ( \"x\" ) ; ");
  CHECK(tokens("lab.show(\"Bytes\", {\"l1\", R\"(l2)\"}, '\"', \"x\"_s); h") ==
        "lab . show ( , { , } , '\"' , \"x\"_s ) ; h ");
  CHECK(tokens("note = \"x\"; f(note, \"x\"); &Lab::show) \"x\"") ==
        "note = \"x\" ; f ( note , \"x\" ) ; & Lab :: show ) \"x\" ");
}

TEST_CASE("what may change a program changes its tokens") {
  for (const auto& pair : std::vector<std::pair<std::string, std::string>>{
           {"x = 1;", "x = 2;"},
           {"x + y", "x - y"},
           {"f(x, y)", "f(y, x)"},
           {"a+ +b", "a++b"},
           {"x y", "xy"},
           {"x/**/y", "xy"},
           {"1'000", "1000"},
           {"\"a b\"", "\"a  b\""},
           {"\"x\" _s", "\"x\"_s"},
           {"L 'a'", "L'a'"},
           {"\"// a\"", "\"// b\""},
           {"\"/* a */\"", "\"/* b */\""},
           {"\"\\\"// a\"", "\"\\\"// b\""},
           {"'\"' + 1 // '\"'", "'\"' + 2 // '\"'"},
           {"R\"(// a\n)\"", "R\"(// b\n)\""},
           {"R\"x()\" /* a */)x\"", "R\"x()\" /* b */)x\""},
           {"R\"(a\nb)\"", "R\"(a\n\nb)\""},
           {"R\"(a\nb)\"", "R\"(a\\nb)\""},
           {"R\"(\"include\")\"", "R\"(\"include\" )\""},
           {"#pragma unroll 4\nf();", "#pragma unroll 8\nf();"},
           {"#pragma unroll 4\nf();", "f();"},
           {"f();\n#pragma unroll\ng();", "#pragma unroll\nf();\ng();"},
           {"#include <a>", "#include <b>"},
           {"#include <a>", ""},
           {"#include <a//b>", "#include <a//c>"},
           {"#include <a b>", "#include <a  b>"},
           {"#include NAME", ""},
           {"#include \"a\" b", ""},
           {"#error \"a\"", ""},
       }) {
    const auto& one = pair.first;
    const auto& other = pair.second;
    CAPTURE(one);
    CHECK(hf::tokens_of(one) != std::nullopt);
    CHECK(hf::tokens_of(other) != std::nullopt);
    CHECK(hf::tokens_of(one) != hf::tokens_of(other));
  }
}

TEST_CASE("a directive ends where its line does") {
  CHECK(tokens("#define A x\ny") == "[# define A x #] y ");
  CHECK(tokens("#define A\nx y") == "[# define A #] x y ");
  CHECK(tokens("#define A x \\\n  y\t\\\n\nz") == "[# define A x y #] z ");
  CHECK(tokens("#define A x \\\r\n  y\r\nz") == "[# define A x y #] z ");
  CHECK(tokens("#define A x // b\n/* \n */ # /* \n */ undef A /*\n*/ B\nz") == "[# define A x #] [# undef A B #] z ");
  CHECK(tokens("#\n#if A\n#endif") == "[# #] [# if A #] [# endif #] ");
  CHECK(tokens("#define S(x) #x a##b %: R\"(\n)\"\n") == "[# define S( x ) # x a ## b %: R\"(\r)\" #] ");
}

TEST_CASE("a blank before the parenthesis tells a macro's text from its parameters") {
  CHECK(tokens("#define A(x) x") == "[# define A( x ) x #] ");
  CHECK(tokens("#define A (x) x") == "[# define A ( x ) x #] ");
  CHECK(tokens("#define A/**/(x) x") == tokens("#define A (x) x"));
  CHECK(tokens("#define A \\\n(x) x") == tokens("#define A (x) x"));
}

TEST_CASE("a token is as long as it can be") {
  CHECK(tokens("a+++++b->*c<=>d...>>=e<<f.*g>>>h") == "a ++ ++ + b ->* c <=> d ... >>= e << f .* g >> > h ");
  CHECK(tokens("a<::b>c<::>d<:::e<:0:>%>") == "a < :: b > c <: :> d <: :: e <: 0 :> %> ");
  check_each_is_one_token({"1'000", "1e+5", "0x1p-3", ".5", "1.5e-3f", "0xAB'CDull", "1..2", "1_km", "0x1e+5"});
  CHECK(tokens("1+2 .x 1e5+2 0x1-3 1'$'") == "1 + 2 . x 1e5 + 2 0x1 - 3 1 '$' ");
  check_each_is_one_token({"_a1", "$x", "größe", "u8", "R", "importance", "__VA_OPT__"});
  check_each_is_one_token(
      {"\"\"", "u8\"a\"", "u\"a\"", "U\"a\"", "L\"a\"", "\"x\"_s", "\"\\\\\"", "\"\\\"\"", "\"'\""});
  check_each_is_one_token({"'a'", "u8'a'", "L'\\''", "'\"'", "'x'_c", "'abcd'"});
  check_each_is_one_token({"R\"()\"", "u8R\"x(a)\")x\"", "LR\"(\\)\"_s", "uR\"(\")\"", "R\"\"()\"\"",
                           "UR\"0123456789abcdef()0123456789abcdef\""});
  CHECK(tokens("fooR\"(a)\" R'a' \"a\"'b'\"c\"") == "fooR \"(a)\" R 'a' \"a\" 'b' \"c\" ");
}

TEST_CASE("nothing is said of a literal or a comment without an end") {
  check_doubt({"\"a", "\"a\n\"", "'a", "it's", "u8\"", "\"a\\", "\"a\\\"", "'\\\n'", "/* a", "/*/", "R\"(", "R\"a(b)\"",
               "R\"a b()a b\"", "R\"0123456789abcdefg()0123456789abcdefg\"", "#include \"a\n", "#include <a\n>",
               "#error don't"});
}

TEST_CASE("nothing is said where a compiler may join lines") {
  check_doubt({"a \\\nb", "a\\\nb", "// a \\\nb", "// a \\ \nb", "// a \\\r\nb", "/* a *\\\n/ b */", "/* a\\ \n */",
               "\"a\\\nb\"", "#define A a\\\nb", "#define A a\\\n b", "#define A \\\n\\\nb", "#define A a \\ \nb",
               "#define A \"a\\\nb\"", "#define A a // b \\\nc", "#define A \\", "\\\n#define A", "?\?/",
               "// a ?\?/\nb", "R\"(?\?/)\""});
}

TEST_CASE("nothing is said of bytes that are not of C++") {
  check_doubt({"a @ b", "`", "\\u00e9", "a\rb", "// a\rb", "\r", "\r\r\n", "a\vb", "\f", std::string("a\0b", 3), "\x7f",
               "\x01"});
}

TEST_CASE("nothing is said where # or a header's name is not read as usual") {
  check_doubt({"a # b", "a ## b", "## b", "%: define A", "\xef\xbb\xbf#define A", "import <a//b>;",
               "#include_next <a//b>", "#if __has_include(<a//b>)\n#endif"});
}

TEST_CASE("nothing is said of a suffix that may be a prefix") {
  check_doubt({"\"a\"R\"(b)\"", "\"a\"u8\"b\"", "'a'L'b'"});
}
