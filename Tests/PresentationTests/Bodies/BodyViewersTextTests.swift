import ProxydPresentation
import Testing

struct BodyViewersTextTests {
    @Test
    func `the text viewer decodes the charset and omits the byte order mark and line terminators`()
    {
        #expect(
            Viewed.text("text", "text/plain", "a\tb\r\nç\n\nd")
                == "  a       b\n  ç\n  \n  d")
        #expect(
            Viewed.lines(
                "text", "text/plain; charset=iso-8859-1", [0x63, 0x61, 0x66, 0xE9])
                == ["  café"])
        #expect(
            Viewed.lines(
                "text", "text/plain",
                [0xFF, 0xFE, 0x61, 0x00, 0x0A, 0x00, 0x0A, 0x01, 0x3D, 0xD8, 0x00, 0xDE])
                == ["  a", "  Ċ😀"])
        #expect(
            Viewed.lines("text", "text/plain", [0xEF, 0xBB, 0xBF, 0x78, 0xFF]) == [
                "  x\\xFF"
            ])
    }

    @Test func `the text viewer shows control characters as escapes`() {
        let lines = Viewed.text("text", "text/plain", "a\u{1B}[31m\u{202E}b\u{9B}\r\rc")
        #expect(lines == "  a\\x1B[31m\\u{202E}b\\u{9B}\\r\\rc")
    }

    @Test func `the text viewer splits a very long line between characters`() {
        let text = String(repeating: "日本", count: 10_000)
        let lines = Viewed.lines("text", "text/plain", Array(text.utf8))
        #expect(lines.map { $0.dropFirst(2) }.joined() == text)
        #expect(lines.count == 60_000 / 4_096 + 1)
    }

    @Test func `the event stream viewer numbers events and shows their fields`() {
        #expect(
            Viewed.text(
                "events", "text/event-stream",
                "event: add\ndata: {\"a\":1}\ndata:2\n\n: ping\n\nretry\n") == """
                      #1    event: add
                            data: {"a":1}
                            data: 2
                            \("")
                      #2    : ping
                            \("")
                      #3    retry
                    """)
    }

    @Test
    func `the form viewer decodes each pair and shows the raw text beside it if the two differ`() {
        #expect(
            Viewed.text(
                "form", "application/x-www-form-urlencoded",
                "user=alice&q=caf%C3%A9+noir&&flag&bad=%zz&x=%1B%5B") == #"""
                      user = alice
                      q = café noir   q=caf%C3%A9+noir
                      flag
                      bad = %zz
                      x = \x1B[   x=%1B%5B
                    """#)
    }

    @Test func `the form viewer does not split a long value inside a percent-encoded byte`() {
        let lines = Viewed.lines(
            "form", "application/x-www-form-urlencoded",
            Array(("a=" + String(repeating: "%41", count: 5_000)).utf8))
        let shown = lines.map { $0.filter { $0 == "A" }.count }.reduce(0, +)
        #expect(shown == 5_000)
    }

    @Test
    func `the markup viewer indents HTML correctly around void elements and unparsed scripts`() {
        #expect(
            Viewed.text(
                "markup", "text/html",
                "<!doctype html><html><head><title>A &amp; B</title><br>"
                    + "<script>if (a<b) {\n  x()\n}</script></head><body class='x y'>"
                    + "<p>one<p>two<b>bold</b></body></html>"
            ) == """
                  <!doctype html>
                  <html>
                    <head>
                      <title>
                        A &amp; B
                      </title>
                      <br>
                      <script>
                        if (a<b) {
                          x()
                        }
                      </script>
                    </head>
                    <body class='x y'>
                      <p>
                        one
                        <p>
                          two
                          <b>bold</b>
                    </body>
                  </html>
                """)
    }

    @Test func `the markup viewer shows XML entities without expanding them`() {
        let bomb = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY x \"&y;&y;\">]><a><b/>&x;</a>"
        #expect(
            Viewed.text("markup", "application/xml", bomb) == """
                  <?xml version="1.0"?>
                  <!DOCTYPE a [<!ENTITY x "&y;&y;">
                  ]>
                  <a>
                    <b/>
                    &x;
                  </a>
                """)
    }

    @Test
    func `the code viewer puts each statement of minified scripts and styles on its own line`() {
        #expect(
            Viewed.text(
                "code", "text/javascript",
                "for(let i=0;i<3;i++){f(\"a;b}\",/[/;]}/g);}// end; here\n"
                    + "/* x; */var o={a:1};`t;${1}`"
            ) == """
                  for(let i=0;i<3;i++){
                    f("a;b}",/[/;]}/g);
                  }
                  // end; here
                  /* x; */var o={
                    a:1
                  };
                  `t;${1}`
                """)
        #expect(
            Viewed.text(
                "code", "text/css", "a{color:red;b:url(x;y)}/* } */@media x{p{q:1}}")
                    == """
                      a{
                        color:red;
                        b:url(x;y)
                      }
                      /* } */@media x{
                        p{
                          q:1
                        }
                      }
                    """)
    }
}
