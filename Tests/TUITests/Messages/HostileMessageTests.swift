import ProxydPresentation
import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

/// What a peer says reaches no terminal as it is, and no number it says breaks anything.
@Suite struct `Hostile messages` {
    private static let texts: [[UInt8]] = [
        Array("\u{1B}]52;c;ZXZpbA==\u{07}\u{1B}[2J".utf8), Array("a\u{202E}b\u{2066}c".utf8),
        Array("\u{9B}31m \u{200B}\u{FEFF}\u{E000}".utf8), [0xFF, 0x1B, 0x5B, 0x41, 0x00],
        Array("{\"k\u{1B}[2J\":\"\u{202E}\"}".utf8),
        Array(String(repeating: "e\u{301}\u{302}\u{303}\u{304}\u{305}", count: 400).utf8),
        Array(repeating: UInt8(ascii: "w"), count: 1 << 20), Array("<a \u{1B}[1m>".utf8),
    ]

    private static var messages: [MessageRow] {
        var rows: [MessageRow] = []
        for text in texts {
            for kind in MessageRecord.Kind.allCases {
                rows.append(
                    MessageSamples.row(
                        Int64(rows.count), text, kind,
                        problem: String(decoding: text.prefix(200), as: UTF8.self)))
            }
        }
        return rows
    }

    @Test func `a WebSocket text message is shown in the text viewer, whatever bytes it contains`()
    {
        for bytes in [Array("esc \u{1B}[2J \u{07}".utf8), [0x81, 0xA1, 0x61, 0x01]] {
            let facts = MessageContent(MessageSamples.row(0, bytes)).facts(asBytes: false)
            #expect(BodyViewers.suited(to: facts).first?.name == "text")
        }
    }

    private func isSafe(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0 == "\n"
                || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
                    && $0.properties.generalCategory != .format
                    && $0.properties.generalCategory != .privateUse
        }
    }

    @Test(arguments: [(80, 24), (200, 50)])
    func `the Messages tab draws no control or invisible characters from messages`(
        columns: Int, rows: Int
    ) {
        let player = DetailPlayer(
            [MessageSamples.socket()], columns: columns, rows: rows, messages: Self.messages)
        #expect(isSafe(player.text))
        player.press(Key("8"))
        for _ in Self.messages {
            #expect(isSafe(player.text), "\(player.text)")
            player.press(Key("v"))
            #expect(isSafe(player.text), "\(player.text)")
            player.press(Key("j"))
        }
    }

    @Test
    func `message filters and searches draw no control or invisible characters from messages`() {
        let player = DetailPlayer(
            [MessageSamples.socket()], messages: MessageSamples.many(3))
        player.press(Key("8"))
        for text in ["\u{1B}[2J\u{202E}x", "bytes>\u{1B}[1m", "kind=\u{202E}"] {
            for key in ["f", "/"] {
                player.press(Key(Character(key)))
                player.update(.input(.paste(text)))
                #expect(isSafe(player.text))
                player.press(.enter)
                #expect(isSafe(player.text))
                player.press(.escape)
                player.press(Key("8"), .control("u"))
            }
        }
    }

    @Test func `the end of a message of 1 MiB on one line can be shown`() {
        let player = DetailPlayer(
            [MessageSamples.socket()],
            messages: [MessageSamples.row(0, Array(repeating: 0x77, count: 1 << 20))])
        player.press(Key("8"), .enter, Key("G"))
        #expect(player.content.last { !$0.isEmpty }?.contains("www") == true)
    }

    @Test func `messages with extreme sizes, times and positions can be shown and filtered`() {
        let ends: [Int64] = [.min, -1, 0, 1, .max - 1, .max]
        for number in ends {
            for started in ends {
                var row = MessageSamples.row(0, "text")
                row.byteCount = max(0, number)
                row.atNs = number
                row.wireByteCount = max(0, number)
                var exchange = MessageSamples.socket()
                exchange.timeline = Timeline(wallStart: started, start: started)
                let player = DetailPlayer([exchange], messages: [row, row, row])
                player.press(Key("8"), Key("j"), Key("k"), .enter, Key("G"), .escape, Key("G"))
                #expect(player.text.contains("text"))
            }
        }
        let far = [MessageSamples.row(0, "a"), MessageSamples.row(.max - 1, [0x62], ms: 0)]
        let player = DetailPlayer([MessageSamples.socket()], messages: far)
        player.press(Key("8"), Key("G"), Key("f"))
        player.type("b")
        player.press(.enter, .control("u"), Key("P"), Key("g"))
        #expect(player.text.contains(", last #"))
    }
}
