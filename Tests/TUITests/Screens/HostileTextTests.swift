import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

@Suite struct `Hostile text` {
    /// What must never get into a cell: controls, what turns the direction of text, what is not
    /// seen.
    private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20..<0x7F).contains(scalar.value) { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private func expectSafe(_ screen: Screen, _ name: String) {
        for row in 0..<screen.size.rows {
            var column = 0
            while column < screen.size.columns {
                let cell = screen[column, row]
                let unsafe = cell.character.unicodeScalars.filter(isUnsafe)
                #expect(unsafe.isEmpty, "\(name.debugDescription) at \(column), \(row)")
                #expect(cell.character.unicodeScalars.count <= 5)
                // A wide character is followed by its second half, and by nothing else.
                column += 1
                if screen[column, row].isContinuation { column += 1 }
                #expect(!screen[column, row].isContinuation)
            }
        }
    }

    private static let own: [String] = [
        (0...0x1F).compactMap { Unicode.Scalar($0).map { "a\($0)b" } },
        (0x7F...0x9F).compactMap { Unicode.Scalar($0).map { "a\($0)b" } },
        [
            "\u{1B}[2J\u{1B}]52;c;aGk=\u{7}", "\u{202E}abc\u{202C}", "\u{2066}x\u{2069}",
            "a\u{200B}b\u{200D}c\u{FEFF}d", "\u{E000}\u{F8FF}", "\u{FE0F}", "\u{301}\u{301}",
            String(repeating: "a\u{301}", count: 50) + String(repeating: "\u{301}", count: 50),
            "👨‍👩‍👧‍👦🏳️‍🌈", "\u{2028}\u{2029}", "ﷺ𒐫", "\u{1D173}", "가힣\u{1161}", "\u{FFFE}",
        ],
    ].flatMap { $0 }

    private static let folder: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let vectors = folder.deletingLastPathComponent().appendingPathComponent(
                "shared/vectors/strings/blns.json")
            if FileManager.default.fileExists(atPath: vectors.path) { return vectors }
        }
        return folder
    }()

    /// Rows with a string in each place, a different one in each.
    private func rows(_ strings: [String]) -> [ExchangeRow] {
        strings.indices.map { index in
            func text(_ offset: Int) -> String { strings[(index + offset) % strings.count] }
            return Rows.row(Int64(index) + 1) {
                $0.method = text(0)
                $0.host = text(1)
                $0.path = text(2)
                $0.query = text(3)
                $0.responseContentType = text(4)
                $0.process = text(5)
                $0.error = index % 3 == 0 ? text(6) : nil
                $0.note = index % 3 == 1 ? text(7) : nil
                $0.tags = index % 3 == 2 ? [text(8)] : []
            }
        }
    }

    private func expectSafeEverywhere(_ strings: [String]) {
        let player = Player(rows(strings), size: Size(columns: 150, rows: strings.count + 6))
        expectSafe(player.screen, "list of \(strings)")
        player.update(.input(.resize(Size(columns: 90, rows: 8))))
        for text in strings {
            var facts = StatusFacts()
            facts.recordingStoppedBecause = text
            player.update(.status(facts))
            player.update(.notice(.problem(text)))
            player.type("/")
            player.update(.input(.paste(text)))
            expectSafe(player.screen, text)
            player.press(.escape)
        }
        player.press(.enter)
        expectSafe(player.screen, "an exchange of \(strings)")
        player.press(.escape)
        player.type(";")
        expectSafe(player.screen, "a prompt over \(strings)")
    }

    @Test func `no control, bidirectional or invisible character is put into a terminal cell`() {
        expectSafeEverywhere(Self.own)
    }

    @Test(.enabled(if: folder.path != "/"))
    func `the Big List of Naughty Strings is drawn without unsafe characters`() throws {
        let data = try Data(contentsOf: Self.folder)
        let strings = try JSONDecoder().decode([String].self, from: data)
        #expect(strings.count > 400)
        for start in stride(from: 0, to: strings.count, by: 40) {
            expectSafeEverywhere(Array(strings[start...].prefix(40)))
        }
    }
}
