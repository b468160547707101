import Capture
import Foundation
import ProxydCivilTime
import ProxydExchangeContent
import ProxydParameterCoding
import ProxydPresentation
import ProxydProcessSetup
import ProxydTestSupport
import Testing

@testable import proxyctl

@Suite struct OutputTests {
    private func text(_ value: JSONValue) -> String {
        var bytes: [UInt8] = []
        JSONText.write(value, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `JSON output escapes control and invisible characters, but no readable text`() {
        #expect(text(.string("é 日本 \"q\" \\ \n\t")) == #""é 日本 \"q\" \\ \n\t""#)
        #expect(text(.string("\u{1B}\u{0}\u{7F}\u{9B}")) == #""\u001b\u0000\u007f\u009b""#)
        #expect(text(.string("\u{202E}\u{2028}\u{200B}")) == #""\u202e\u2028\u200b""#)
        #expect(text(.string("a\u{FE0F}\u{115F}")) == #""a\ufe0f\u115f""#)
        let marks = String(repeating: "\u{301}", count: 4)
        #expect(text(.string("e\(marks)\u{301}x\(marks)")) == "\"e\(marks)\\u0301x\(marks)\"")
        #expect(text(.string("\u{E0001}")) == #""\udb40\udc01""#)
    }

    @Test
    func `an atomic output file can be committed only once, and later writes do not change it`()
        throws
    {
        let folder = try ScratchFolder()
        let file = try AtomicFile(folder.path + "/report")
        file.sink.write(Array("first".utf8))
        try file.commit()
        file.sink.write(Array("second".utf8))
        #expect(throws: CommandFailure.self) { try file.commit() }
        #expect(try folder.content(of: "report") == Array("first".utf8))
        #expect(folder.names == ["report"])
    }

    @Test func `JSON output keeps the order of members and writes absent values as null`() {
        let value = JSONValue.members([
            ("b", .integer(Int?.none)), ("a", .text(nil)), ("c", .pairs([("x", nil), ("y", "1")])),
            ("d", .object([])), ("e", .array([])),
        ])
        #expect(text(value) == #"{"b":null,"a":null,"c":[["x",null],["y","1"]],"d":{},"e":[]}"#)
    }

    @Test(arguments: [
        (0, "0.000"), (1_499, "0.001"), (1_500, "0.002"), (35_123_456, "35.123"),
        (1_000_000, "1.000"), (61_000_000_000, "61000.000"), (-1, "0.000"), (-499_999, "-0.500"),
        (-1_500, "-0.002"), (-5_500_000, "-5.500"), (.max, "9223372036854.776"),
        (.min, "-9223372036854.776"),
    ])
    func `durations in JSON output are milliseconds rounded to three decimals`(
        nanoseconds: Int64, expected: String
    ) {
        #expect(text(.milliseconds(nanoseconds)) == expected)
    }

    @Test func `times are printed as RFC 3339 in UTC with milliseconds`() {
        #expect(RFC3339.text(nanoseconds: 0) == "1970-01-01T00:00:00.000Z")
        #expect(RFC3339.text(nanoseconds: 1_763_632_800_123_999_999) == "2025-11-20T10:00:00.123Z")
        #expect(RFC3339.text(nanoseconds: -1) == "1969-12-31T23:59:59.999Z")
    }

    @Test
    func `an output line that is too wide is cut by columns, not characters, with an ellipsis`() {
        let renderer = LineRenderer(columnCount: 6, usesColour: false)
        #expect(renderer.render("abcdef") == "abcdef")
        #expect(renderer.render("abcdefg") == "abcde…")
        #expect(renderer.render("日本語") == "日本語")
        #expect(renderer.render("日本語x") == "日本…")
        #expect(renderer.render(StyledText("abc", .bad) + "def" + "g") == "abcde…")
        #expect(renderer.render("a\u{1B}b") == "a\\x1Bb")
    }

    @Test func `a wrapped output line loses no text, and its continuation lines are indented`() {
        let renderer = LineRenderer(columnCount: 10, usesColour: false)
        #expect(renderer.wrap("  abcdefgh") == ["  abcdefgh"])
        #expect(renderer.wrap("  abcdefghijklmnop") == ["  abcdefgh", "    ijklmn", "    op"])
        #expect(
            renderer.wrap(StyledText("ab", .bad) + "cdefghij" + "klm")
                == ["abcdefghij", "  klm"])
        #expect(renderer.wrap("日本語日本語") == ["日本語日本", "  語"])
        #expect(LineRenderer(columnCount: 1, usesColour: false).wrap("日本").count <= 2)
    }

    @Test func `color codes are written only around the colored text`() {
        let renderer = LineRenderer(columnCount: nil, usesColour: true)
        let line = StyledText("a") + StyledText("b", .bad) + StyledText("", .good)
        #expect(renderer.render(line) == "a\u{1B}[31mb\u{1B}[0m")
    }

    @Test func `a text table aligns its columns and cuts wide cells, except in the last column`() {
        var table = TextTable([
            .init(title: "n", alignment: .right), .init(title: "text", columnCountMax: 5),
            .init(title: "rest", columnCountMax: 3),
        ])
        table.append(["1", "short", "all of this"])
        table.append(["1000", "much too long", "x"])
        let renderer = LineRenderer(columnCount: nil, usesColour: false)
        #expect(
            table.lines().map(renderer.render) == [
                "   n  text   rest", "   1  short  all of this", "1000  much…  x",
            ])
    }

    @Test func `text styles are written as one of the eight basic terminal colors or as bold`() {
        #expect(Style.heading.graphicCodes == "1")
        #expect(Style(.serverError).adding(.bold).graphicCodes == "1;31")
        #expect(Style(.plain, on: .match).graphicCodes.isEmpty)
        let renderer = LineRenderer(columnCount: nil, usesColour: true)
        #expect(renderer.render(StyledText("a", .key)) == "\u{1B}[36ma\u{1B}[0m")
    }
}

/// What the commands that read print of every kind of exchange, in golden files.
@Suite struct OutputGoldenTests {
    private static let commands: [(name: String, arguments: [String], columns: Int?)] = [
        ("list", ["list", "--columns", "id,method,host,path,status,response_body_bytes"], nil),
        (
            "list-terminal",
            ["list", "--columns", "id,method,host,path,status,response_body_bytes"], 100
        ),
        ("list-json", ["list", "--json"], nil),
        ("export-curl", ["export", "--format", "curl"], nil),
        ("export-jsonl", ["export", "--format", "jsonl"], nil),
        ("export-har", ["export", "--format", "har"], nil),
    ]

    @Test func `the output of proxyctl list and proxyctl export equals the golden files`() throws {
        let store = try SampleStore()
        for command in Self.commands {
            let run = CommandRun(
                ["--data-dir", store.directoryPath] + command.arguments, columns: command.columns)
            try Self.expect(run, command.name)
        }
    }

    @Test func `the output of proxyctl show for every kind of exchange equals the golden files`()
        throws
    {
        let store = try SampleStore()
        for id in SampleExchange.all.indices.map({ String($0 + 1) }) {
            for options in [[], ["--json"], ["--raw"]] {
                let run = CommandRun(["--data-dir", store.directoryPath, "show", id] + options)
                try Self.expect(run, "show-\(id)" + options.joined())
            }
        }
    }

    private static func expect(_ run: CommandRun, _ name: String) throws {
        // The same files for every version.
        let output = run.output.replacing(
            #""proxyd","version":"\#(ProgramVersion.number)""#, with: #""proxyd","version":"N""#)
        let found = "exit \(run.code)\n" + output + run.errors
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/\(name).txt")
        let wanted = try GoldenFile.wanted(at: url, found: found)
        #expect(found == wanted, "\(name)")
    }
}
