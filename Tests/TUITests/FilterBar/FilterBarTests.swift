import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `The filter bar` {
    private let player = Player(Rows.varied)

    @Test func `Enter in the filter bar applies the filter, and Ctrl-U in the list clears it`() {
        player.type("/status=404")
        #expect(player.text.contains("1 match"))
        player.press(.enter)
        #expect(player.lines[1].contains("404"))
        #expect(player.text.contains("/status=404  1 match "))
        player.press(.control("u"))
        #expect(player.lines[12].contains("ERR"))
        #expect(!player.text.contains("status=404"))
    }

    @Test func `Escape in the filter bar keeps the previous filter`() {
        player.type("/status=404")
        player.press(.escape)
        #expect(player.app.entries.count == 1)
        #expect(player.lines[12].contains("ERR"))
    }

    @Test
    func `a filter with a syntax error is not applied, and the error is marked under its column`() {
        player.type("/host:a hots:b")
        let row = player.lines.firstIndex { $0 == "/host:a hots:b" }
        let mark = row.map { player.lines[$0 + 1] }
        #expect(mark?.hasPrefix("        ^ ") == true)
        player.press(.enter)
        #expect(player.app.entries.count == 2)
    }

    @Test func `the error mark in the filter bar is at the correct column after wide characters`() {
        player.type("/日本 hots:b")
        let row = player.lines.firstIndex { $0 == "/日本 hots:b" }
        let mark = row.map { player.lines[$0 + 1] }
        #expect(mark?.hasPrefix("      ^ ") == true)
    }

    @Test func `Tab in the filter bar completes a field name with its operator, and then a value`()
    {
        player.type("/statu")
        #expect(player.lines.contains { $0.hasPrefix("  status=  the status code") })
        player.press(.tab)
        #expect(player.lines.contains("/status="))
        player.type("4")
        player.press(.tab)
        #expect(player.lines.contains("/status=404"))
        player.press(.enter)
        #expect(player.lines[1].contains("404"))
    }

    @Test
    func `in the filter bar, Tab inserts a sole suggestion, and another Tab adds the next part`() {
        player.type("/not pinn")
        player.press(.tab)
        #expect(player.lines.contains("/not pinned="))
        player.press(.tab)
        #expect(player.lines.contains("/not pinned=yes"))
        player.press(.escape)
        #expect(player.lines.contains("/not pinned="))
    }

    @Test func `the filter bar completes values after any operator`() {
        for typed in ["state=f", "state!=f", "!state:f", "(state~f"] {
            let player = Player(Rows.plain(3))
            player.type("/\(typed)")
            player.press(.tab)
            #expect(
                player.lines.contains { $0.hasPrefix("/") && $0.hasSuffix("failed") }, "\(typed)")
        }
    }

    @Test func `the filter bar completes and explains mitmproxy's operators`() {
        player.type("/~com")
        #expect(player.lines.contains { $0.hasPrefix("  ~comment ") && $0.hasSuffix("the note") })
        player.press(.tab)
        #expect(player.lines.contains("/~comment"))
        player.type("x")
        #expect(player.lines.contains("/~comment x"))
    }

    @Test func `a long explanation in the filter bar is cut at the edge of the screen`() {
        player.type("/param")
        #expect(player.lines.contains { $0.hasPrefix("  param.") && $0.hasSuffix("…") })
    }

    @Test func `Tab in the filter bar completes a partly typed host`() {
        player.type("/host:a")
        player.press(.tab)
        #expect(player.lines.contains { $0.hasPrefix("/host:") && !$0.hasSuffix("/host:a") })
    }

    @Test
    func `Tab in the filter bar cycles through the suggestions; Escape restores the typed text`() {
        player.type("/s")
        player.press(.tab)
        #expect(player.lines.contains("/scheme="))
        player.press(.tab)
        #expect(player.lines.contains("/status="))
        player.press(.backtab)
        #expect(player.lines.contains("/scheme="))
        player.press(.escape)
        #expect(player.lines.contains("/s"))
    }

    @Test func `Up and Down in the filter bar recall earlier filters`() {
        player.type("/status=404")
        player.press(.enter, .control("u"))
        player.type("/status=503")
        player.press(.enter, .control("u"))
        player.type("/")
        player.press(Key(.up))
        #expect(player.lines.contains("/status=503"))
        player.press(Key(.up))
        #expect(player.lines.contains("/status=404"))
        player.press(Key(.down), Key(.down))
        #expect(player.lines.contains("/"))
    }

    @Test func `typing in the filter bar does not wait for the number of matches`() {
        player.heldSlots = ["count", "values"]
        player.type("/status=4")
        #expect(player.lines.contains("/status=4"))
        #expect(player.text.contains("… match"))
        player.heldSlots = []
        player.runHeld()
        // Only the newest text's count is told.
        #expect(player.text.contains("0 match"))
    }

    @Test func `the filter bar shows the number of matches immediately when it is opened again`() {
        player.type("/status=404")
        player.press(.enter)
        player.type("/")
        #expect(player.text.contains(" 1 match "))
    }

    @Test
    func `Ctrl-S in the filter bar saves the filter, and pressing it again removes the saved one`()
    {
        player.type("/status=404")
        player.press(.control("s"))
        #expect(player.text.contains(" 1 match  saved"))
        player.press(.control("s"))
        #expect(player.text.contains("no longer saved"))
        player.type("x")
        #expect(!player.text.contains("no longer saved"))
    }

    @Test func `line breaks in text that is pasted into the filter bar become spaces`() {
        player.type("/")
        player.update(.input(.paste("host:a\nstatus=200\r\n")))
        #expect(player.lines.contains("/host:a status=200"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `the filter bar shows the end of a very long text that is pasted into it`() {
        let player = Player(Rows.plain(3))
        player.type("/host:")
        player.update(.input(.paste(String(repeating: "x漢 ", count: 50_000) + "end")))
        #expect(player.text.contains("x漢 x漢 end"))
        #expect(player.text.contains("longer than"))
        player.press(.control("a"))
        #expect(player.text.contains("/host:x漢"))
        player.press(.control("u"))
        #expect(player.text.contains("3 matches"))
    }

    @Test func `a test that is half typed in the filter bar is no error until Enter is pressed`() {
        let texts = [
            "/host:", "/status=404 and", "/status>", "/(status=404", "/\"a", "/note:'a b", "/~",
            "/~comm", "/path~[0-9", "/((a or b", "/pinned=",
        ]
        for text in texts {
            let player = Player(Rows.varied)
            player.type(text)
            let row = player.lines.firstIndex { $0 == text }
            #expect(row.map { player.lines[$0 + 1].hasPrefix(" …  Enter") } == true, "\(text)")
            player.press(.enter)
            let line = player.lines.firstIndex { $0 == text }
            #expect(line.map { player.lines[$0 + 1].contains("^") } == true, "\(text)")
        }
    }

    @Test func `what no further typing mends in the filter bar is an error immediately`() {
        for text in ["/hots:a", "/status>abc", "/a)", "/~xyz"] {
            let player = Player(Rows.varied)
            player.type(text)
            let row = player.lines.firstIndex { $0 == text }
            #expect(row.map { player.lines[$0 + 1].contains("^") } == true, "\(text)")
        }
    }

    @Test func `another test is typed behind the filter in force, with a space between them`() {
        player.type("/method=GET")
        player.press(.enter)
        player.type("/status=404")
        #expect(player.lines.contains("/method=GET status=404"))
        player.press(.escape)
        player.type("/")
        player.press(.enter)
        #expect(player.text.contains("/method=GET  "))
    }

    @Test func `the filter bar shows why matches cannot be counted`() {
        let player = Player(ScriptedRows([], failure: "the disk is broken"))
        player.type("/host:a")
        let row = player.lines.firstIndex { $0 == "/host:a" }
        #expect(row.map { player.lines[$0 + 1].contains("the disk is broken") } == true)
    }
}
