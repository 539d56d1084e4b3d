"""Bytes become text, and text becomes lines, as git counts them."""
# ruff: noqa: RUF001 -- letters of other scripts are what is tested

import pytest

from web.library.indexing.decode import decode, decoded_as, lines_of

SOURCES = {
    "C": "/*\n * {}\n */\nint main(void)\n{{\n    return 0;\n}}\n",
    "Python": "import os\n\n\ndef load(path):\n    # {}\n    return open(path).read()\n",
    "PHP": "<?php\nrequire_once 'config.php';\n$message = '{}';\n",
    "HTML": '<html><body>\n<p class="text">{}</p>\n<a href="next.html">next</a></body></html>\n',
}
COMMENTS = [
    ("初始化缓冲区", "gb18030"),
    ("返回字符串的长度", "gb18030"),
    ("如果文件不存在就创建它", "gb18030"),
    ("檢查使用者名稱是否有效", "big5"),
    ("讀取設定檔並傳回結果", "big5"),
    ("ファイルを読み込む", "cp932"),
    ("設定を初期化する", "cp932"),
    ("文字列の長さを返す", "euc_jp"),
    ("バッファを初期化する", "euc_jp"),
    ("파일을 읽어서 문자열로 반환한다", "cp949"),
    ("설정을 초기화합니다", "cp949"),
    ("возвращает длину строки", "cp1251"),
    ("возвращает длину строки", "koi8-r"),
    ("Проверка имени пользователя", "koi8-r"),
    ("Перевірка імені користувача", "koi8-u"),
    ("Επιστρέφει το μήκος της συμβολοσειράς", "cp1253"),
    ("Επιστρέφει το μήκος της συμβολοσειράς", "iso8859-7"),
    ("בודק אם הקובץ קיים", "cp1255"),
    ("מחזיר את אורך המחרוזת", "cp1255"),
    ("يتحقق من وجود الملف", "cp1256"),
    ("ينشئ الملف إذا لم يكن موجودا", "cp1256"),
    ("Dosyanın var olup olmadığını denetler, yoksa oluşturur", "cp1254"),
    ("Zjistí, zda soubor existuje, a případně jej vytvoří", "cp1250"),
    ("Načte nastavení a vrátí délku řetězce, není-li prázdný", "iso8859-2"),
    ("Jeśli plik nie istnieje, zostanie utworzony później", "cp1250"),
    ("Jeśli plik nie istnieje, zostanie utworzony później", "iso8859-2"),
    ("Ha a fájl nem létezik, akkor létrehozza és ellenőrzi a méretét", "iso8859-2"),
    ("Gibt die Länge der Zeichenkette zurück, größer als null", "cp1252"),
    ("Crée le fichier s’il n’existe pas déjà à cet endroit", "cp1252"),
    ("Comprueba si el archivo existe; si no, lo creará el año próximo", "cp1252"),
    ("La password è stata cambiata perché è più corta", "cp1252"),
    ("Copyright © 2003 Jürgen Müller, François Pinard", "cp1252"),
    ("José María Núñez", "cp1252"),
    ("Temperature in °C, ±5% and 10 µs at most", "cp1252"),
    ("The “quoted” name – don’t change it…", "cp1252"),
    ("ตรวจสอบว่าไฟล์มีอยู่หรือไม่", "cp874"),
]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", "plain"),
        ("größe".encode(), "größe"),
        (b"\xef\xbb\xbfmarked", "marked"),
        ("größe".encode("utf-16"), "größe"),
        ("a größe of many words".encode("utf-16-le"), "a größe of many words"),
        ("größe".encode("utf-32"), "größe"),
        ("# -*- coding: latin-1 -*-\ngröße".encode("latin-1"), "# -*- coding: latin-1 -*-\ngröße"),
        ("größe und Straße, fünf Äpfel".encode("cp1252"), "größe und Straße, fünf Äpfel"),
        (b"a\0b in a text of some length, and so on", "ab in a text of some length, and so on"),
        ("Привет, это комментарий".encode("cp1251"), "Привет, это комментарий"),
        ("Příliš žluťoučký kůň".encode("iso8859-2"), "Příliš žluťoučký kůň"),
        ("これは日本語のコメント。\nint x;".encode("euc_jp"), "これは日本語のコメント。\nint x;"),
        ("これは日本語のコメントです".encode("cp932"), "これは日本語のコメントです"),
        ("これは日本語".encode("iso2022_jp"), "これは日本語"),
        ("这是一个中文注释,用来说明".encode("gb18030"), "这是一个中文注释,用来说明"),
        ("Größe €漢字".encode() * 3 + b"\xff", "Größe €漢字" * 3 + "\ufffd"),
        (b"# coding: unicode_escape\n\\x41 \xe9", "# coding: unicode_escape\n\\x41 é"),
        (b'<?xml encoding="koi8-r"?><a>\xd0</a>', '<?xml encoding="koi8-r"?><a>п</a>'),
        (b"", ""),
    ],
)  # fmt: skip
def test_text_of_any_usual_encoding_is_read(data, text):
    decoded = decode(data)
    assert decoded is not None
    assert decoded.text == text


@pytest.mark.parametrize(("comment", "encoding"), COMMENTS)
@pytest.mark.parametrize("source", SOURCES.values(), ids=list(SOURCES))
def test_short_comments_in_source_are_read_in_their_charset(comment, encoding, source):
    text = source.format(comment)
    decoded = decode(text.encode(encoding))
    assert decoded is not None
    assert decoded.text == text
    assert decoded_as(text.encode(encoding), decoded.encoding) == text


@pytest.mark.parametrize("declaration", ["", "<meta charset={}>"])
@pytest.mark.parametrize(
    ("comments", "encoding"),
    [
        (("返回字符串的长度", "如果文件不存在就创建它"), "gb18030"),
        (("讀取設定檔並傳回結果", "檢查使用者名稱是否有效"), "big5"),
        (("ファイルを読み込む", "設定を初期化する"), "cp932"),
        (("バッファを初期化する", "文字列の長さを返す"), "euc_jp"),
        (("설정을 초기화합니다", "파일을 읽어서 반환한다"), "cp949"),
    ],
)
def test_a_lost_byte_spoils_one_line_and_not_the_file(comments, encoding, declaration):
    lines = [f"int x{number}; /* {comments[number % 2]} */" for number in range(20)]
    text = declaration.format(encoding) + "\n" + "\n".join(lines)
    whole = comments[0].encode(encoding)
    data = text.encode(encoding).replace(whole, whole[:-1], 1)
    decoded = decode(data)
    assert decoded is not None
    assert decoded.encoding.endswith(" (damaged)")
    assert decoded.text.split("\n")[2:] == lines[1:]
    assert decoded_as(data, decoded.encoding) == decoded.text


def test_a_comment_is_found_within_a_long_line():
    text = "var a=1;" * 20_000 + "/* 初始化缓冲区 */" + "var b=2;" * 2000
    decoded = decode(text.encode("gb18030"))
    assert decoded is not None
    assert decoded.text == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize(
    "text",
    [
        "如果文件不存在，就创建它。\n返回字符串的长度。\n",
        "ファイルを読み込む\n設定を初期化する\n",
        "возвращает длину строки\n",
        "Επιστρέφει το μήκος\n",
        "int x; /* 初始化缓冲区 */\n",
    ],
)
def test_wide_text_of_any_script_needs_no_mark(text, encoding):
    decoded = decode(text.encode(encoding))
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == (text, encoding)
    assert decoded_as(text.encode(encoding), encoding) == text


@pytest.mark.parametrize(
    ("declaration", "encoding", "comment"),
    [
        ("/* -*- coding: euc-jp-unix -*- */", "euc_jp", "有効期限"),
        ("// vim: set fenc=cp1250 :", "cp1250", "č"),
        ("scriptencoding cp1251", "cp1251", "да"),
        ("\\documentclass{article}\n\\usepackage[latin2]{inputenc}", "iso8859-2", "ą"),
        ("# -*- coding: iso-8859-1 -*-", "cp1252", "“Größe”"),
        ('<meta charset="gb2312">', "gb18030", "镕"),
        ("# coding: utf-8", "cp1252", "Größe"),
    ],
)
def test_a_declaration_is_believed_where_the_bytes_fit(declaration, encoding, comment):
    text = f"{declaration}\n{comment}\n"
    decoded = decode(text.encode(encoding))
    assert decoded is not None
    assert decoded.text == text


def test_what_was_read_stays_readable_in_its_encoding():
    for data in (
        "größe".encode("utf-16"),
        "größe".encode("utf-8-sig"),
        b"a\0b",
        "漢字".encode() * 9 + b"\xff",
    ):
        decoded = decode(data)
        assert decoded is not None
        assert decoded_as(data, decoded.encoding) == decoded.text
    assert decoded_as("初始化".encode("gb18030"), "cp949") == "놓迦뺏"


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        b"\x7fELF\x02\x01" + bytes(200),
        bytes(1000),
        b"\xff\xfe" + bytes(range(256)) * 9,
        b"%PDF-1.7 \xe9 text",
        b"\x01\x00\x02\x00\x10\x00N-\x00\x00 \x00e\x87" * 30,
        bytes((i * i * 7 + i) % 251 for i in range(4000)),
    ],
)
def test_binary_is_told_as_such(data):
    assert decode(data) is None


def test_the_name_of_the_encoding_is_told():
    assert decode(b"caf\xe9").encoding == "cp1252"
    assert decode("漢字".encode("utf-16")).encoding == "utf-16-le"
    assert decode("漢字".encode() * 9 + b"\xff").encoding == "utf-8 (damaged)"


def test_lines_end_at_a_line_feed_alone():
    assert lines_of("a\x0cb\u2028c\rd\r\ne\n") == ["a\x0cb\u2028c\rd", "e"]
    assert lines_of("") == []
    assert lines_of("a\n\n") == ["a", ""]
