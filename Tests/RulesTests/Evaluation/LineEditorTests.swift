import ProxydFilter
import ProxydHTTPModel
import ProxydParameterCoding
import ProxydTestSupport
import Testing

@testable import ProxydRules

/// Edits of a body that flows: the same in whatever pieces it comes.
struct LineEditorTests {
    /// An editor of rules; of each its name, what it looks for and what it puts in.
    private func editor(_ rules: [(String, String, String)]) throws -> LineEditor {
        var edits = LineEdits()
        for (rule, pattern, template) in rules {
            let replacement = try RegexReplacement(
                pattern: pattern, template: template, isForBodies: true)
            edits.append(
                RuleEdit(
                    target: .body, change: .replace(replacement, countMax: nil), isByLine: true),
                of: rule)
        }
        return LineEditor(edits)
    }

    private func edited(
        _ editor: LineEditor, _ body: [UInt8], pieceByteCount: Int = .max
    ) -> (bytes: [UInt8], applied: [AppliedRule]) {
        var (editor, output, start) = (editor, [UInt8](), 0)
        while start < body.count {
            let end = start + min(pieceByteCount, body.count - start)
            editor.receive(body.span.extracting(start..<end), into: &output)
            start = end
        }
        editor.finish(into: &output)
        return (output, editor.applied)
    }

    private func text(_ editor: LineEditor, _ body: String, pieceByteCount: Int = .max) -> String {
        let bytes = edited(editor, Array(body.utf8), pieceByteCount: pieceByteCount).bytes
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [1, 2, 3, 5, .max])
    func `a line-by-line edit keeps the line endings of a body, whether LF, CRLF or CR`(
        pieceByteCount: Int
    ) throws {
        let editor = try editor([("r", "^(.*)$", "<$1>")])
        #expect(
            text(editor, "a\nb\r\nc\rd\r\r\n\n\r\ne", pieceByteCount: pieceByteCount)
                == "<a>\n<b>\r\n<c>\r<d>\r<>\r\n<>\n<>\r\n<e>")
        #expect(text(editor, "a\n", pieceByteCount: pieceByteCount) == "<a>\n")
        #expect(text(editor, "", pieceByteCount: pieceByteCount) == "")
    }

    @Test func `a line-by-line edit forwards a line when its end has arrived, and not before`()
        throws
    {
        var editor = try editor([("r", "price", "cost")])
        var output: [UInt8] = []
        editor.receive(Array("data: price\rdata: pri".utf8).span, into: &output)
        #expect(String(decoding: output, as: UTF8.self) == "data: cost\r")
        output = []
        editor.receive(Array("ce\n\n".utf8).span, into: &output)
        #expect(String(decoding: output, as: UTF8.self) == "data: cost\n\n")
    }

    @Test(arguments: [1, 4_096, 65_537, .max])
    func `a line-by-line edit forwards lines of more than 64 KiB unchanged`(
        pieceByteCount: Int
    ) throws {
        let most = LineEditor.lineByteCountMax
        let fits = [UInt8](repeating: 0x61, count: most - 1) + Array("b\nb\n".utf8)
        let found = edited(try editor([("r", "b", "c")]), fits, pieceByteCount: pieceByteCount)
        #expect(found.bytes == [UInt8](repeating: 0x61, count: most - 1) + Array("c\nc\n".utf8))
        #expect(
            found.applied == [
                AppliedRule(
                    rule: "r", phase: .response, outcome: "changed", detail: "body, lines: 2")
            ])
        let long = [0x61] + fits
        let passed = edited(try editor([("r", "b", "c")]), long, pieceByteCount: pieceByteCount)
        #expect(passed.bytes == long.dropLast(2) + Array("c\n".utf8))
        #expect(passed.applied.first?.outcome == "changed")
        #expect(passed.applied.first?.detail == "body, lines: 1, too large")
        let only = edited(
            try editor([("r", "b", "c")]), Array(long.dropLast(3)), pieceByteCount: pieceByteCount)
        #expect(only.bytes == long.dropLast(3))
        #expect(only.applied.map(\.outcome) == ["too large"])
    }

    @Test
    func `in line-by-line edits each rule sees earlier rules' edits and counts its own lines`()
        throws
    {
        let editor = try editor([("a", "one", "two"), ("b", "two", "three"), ("c", "four", "")])
        let found = edited(editor, Array("one\ntwo\nnone\n".utf8))
        #expect(String(decoding: found.bytes, as: UTF8.self) == "three\nthree\nnthree\n")
        #expect(found.applied.map(\.outcome) == ["changed", "changed", "unchanged"])
        #expect(
            found.applied.map(\.detail) == ["body, lines: 2", "body, lines: 3", nil])
    }

    @Test
    func `a line-by-line edit that replaces a text with the same text is recorded as unchanged`()
        throws
    {
        let found = edited(try editor([("r", "a", "a")]), Array("a\na".utf8))
        #expect(found.applied.map(\.outcome) == ["unchanged"])
    }

    @Test func `a line-by-line edit of random bytes gives the same result in chunks of any size`()
        throws
    {
        var random = SplitMix(seed: 21)
        let editor = try editor([("r", "[ab]+c?", "<$0>"), ("s", "cd", "")])
        for _ in 0..<200 {
            let body = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                Array("abcd\r\n".utf8).randomElement(using: &random) ?? 0
            }
            let whole = edited(editor, body)
            var (pieces, output, start) = (editor, [UInt8](), 0)
            while start < body.count {
                let end = min(body.count, start + Int.random(in: 1...7, using: &random))
                pieces.receive(body.span.extracting(start..<end), into: &output)
                start = end
            }
            pieces.finish(into: &output)
            #expect(output == whole.bytes, "\(body)")
            #expect(pieces.applied == whole.applied)
        }
    }

    // MARK: Charsets

    /// An editor of a body with this Content-Type.
    private func editor(_ type: String) throws -> LineEditor {
        var edits = LineEdits()
        let replacement = try RegexReplacement(
            pattern: "^цена", template: "плата", isForBodies: true)
        edits.append(
            RuleEdit(
                target: .body, change: .replace(replacement, countMax: nil), isByLine: true),
            of: "r")
        return LineEditor(edits, LineBeginning(MediaType(type)))
    }

    @Test(arguments: [1, 2, 7, .max])
    func `a line-by-line edit uses the charset of the body`(pieceByteCount: Int) throws {
        let (price, cost): ([UInt8], [UInt8]) = (
            [0xF6, 0xE5, 0xED, 0xE0, 0x0A], [0xEF, 0xEB, 0xE0, 0xF2, 0xE0, 0x0A]
        )
        let (utf8Price, utf8Cost) = (Array("цена\n".utf8), Array("плата\n".utf8))
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let meta = Array("<!doctype html>\n<meta\n charset=windows-1251>\n".utf8)
        let xml = Array("<?xml version='1.0' encoding='windows-1251'?>\n".utf8)
        let long = Array(repeating: 0x0A, count: 2_000) as [UInt8]
        let cases: [(String, [UInt8], [UInt8], [UInt8])] = [
            ("text/html", meta, price, cost), ("text/xml", xml, price, cost),
            ("text/plain; charset=windows-1251", [], price, cost),
            ("text/plain; charset=windows-1251", mark, utf8Price, utf8Cost),
            ("text/html; charset=utf-8", meta, utf8Price, utf8Cost),
            ("text/html", [], utf8Price, utf8Cost), ("text/html", long, utf8Price, utf8Cost),
            ("text/event-stream; charset=windows-1251", mark, utf8Price, utf8Cost),
            ("text/event-stream; charset=utf-16", [], utf8Price, utf8Cost),
            ("text/plain", [0xFF, 0xFE], [0x0A, 0], [0x0A, 0]),
        ]
        for (type, start, before, after) in cases {
            let result = edited(
                try editor(type), start + before, pieceByteCount: pieceByteCount)
            #expect(result.bytes == start + after, "\(type)")
        }
    }

    @Test func `a UTF-16 body is not edited line by line, and this is recorded with the exchange`()
        throws
    {
        let result = edited(try editor("text/plain"), [0xFF, 0xFE, 0x46, 0x04, 0x0A, 0x00])
        #expect(result.bytes == [0xFF, 0xFE, 0x46, 0x04, 0x0A, 0x00])
        #expect(result.applied.first?.outcome == "UTF-16 or UTF-32")
    }

    @Test func `a line-by-line edit buffers an HTML document only until its charset is known`()
        throws
    {
        for (type, body, count) in [
            ("text/html", "цена", 0), ("text/html", "<meta charset=utf-8>\nцена\n", 0),
            ("text/event-stream", "data: цена\n", 0), ("text/html", "<p>\n<p>\n", 8),
        ] {
            var editor = try editor(type)
            var output: [UInt8] = []
            editor.receive(Array(body.utf8).span, into: &output)
            #expect(body.hasSuffix("\n") == false || editor.keptByteCount == count, "\(type)")
        }
    }
}
