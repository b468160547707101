import Foundation
import Testing

@testable import ProxydTUI

@Suite struct `Keys of a terminal` {
    private static let sequences: [(String, InputEvent)] = [
        ("a", .key(Key("a"))), ("G", .key(Key("G"))), ("é", .key(Key("é"))), ("日", .key(Key("日"))),
        ("🚀", .key(Key("🚀"))), ("\r", .key(.enter)), ("\n", .key(.enter)), ("\t", .key(.tab)),
        ("\u{7F}", .key(Key(.backspace))), ("\u{4}", .key(.control("d"))),
        ("\u{1B}[A", .key(Key(.up))), ("\u{1B}OA", .key(Key(.up))), ("\u{1B}[Z", .key(.backtab)),
        ("\u{1B}[5~", .key(Key(.pageUp))), ("\u{1B}[6~", .key(Key(.pageDown))),
        ("\u{1B}[H", .key(Key(.home))), ("\u{1B}[4~", .key(Key(.end))),
        ("\u{1B}[3~", .key(Key(.delete))), ("\u{1B}OP", .key(Key(.function(1)))),
        ("\u{1B}[15~", .key(Key(.function(5)))), ("\u{1B}[24~", .key(Key(.function(12)))),
        ("\u{1B}[[B", .key(Key(.function(2)))), ("\u{1B}[1;5C", .key(Key(.right, .control))),
        ("\u{1B}[1;3D", .key(Key(.left, .alt))), ("\u{1B}x", .key(.alt("x"))),
        ("\u{1B}é", .key(.alt("é"))), ("\u{1B}\u{7F}", .key(Key(.backspace, .alt))),
        ("\u{1B}[97;5u", .key(.control("a"))),
        (
            "\u{1B}[<0;3;2M",
            .mouse(.init(kind: .press, button: .left, position: .init(column: 2, row: 1)))
        ),
        (
            "\u{1B}[<2;300;200m",
            .mouse(.init(kind: .release, button: .right, position: .init(column: 299, row: 199)))
        ),
        ("\u{1B}[<64;1;1M", .mouse(.init(kind: .scrollUp, position: .init(column: 0, row: 0)))),
        ("\u{1B}[<65;1;1M", .mouse(.init(kind: .scrollDown, position: .init(column: 0, row: 0)))),
        (
            "\u{1B}[<32;1;1M",
            .mouse(.init(kind: .drag, button: .left, position: .init(column: 0, row: 0)))
        ),
        ("\u{1B}[200~a\u{1B}[31mb\r\n\u{1B}[201~", .paste("a\u{1B}[31mb\r\n")),
    ]

    @Test
    func `terminal input is decoded into keys, whether it arrives whole, bytewise or back to back`()
    {
        var all: [UInt8] = []
        for (text, event) in Self.sequences {
            var decoder = KeyDecoder()
            #expect(decoder.receive(Array(text.utf8)) == [event], "\(text.debugDescription)")
            #expect(!decoder.isWaiting)
            var slow = KeyDecoder()
            #expect(
                text.utf8.flatMap { slow.receive([$0]) } == [event], "\(text.debugDescription)")
            all += text.utf8
        }
        var decoder = KeyDecoder()
        #expect(decoder.receive(all) == Self.sequences.map(\.1))
    }

    @Test(arguments: [61, 62, 63, 64, 65, 200])
    func `a very long escape sequence is decoded alike whether it arrives whole or bytewise`(
        count: Int
    ) {
        let bytes = Array(("\u{1B}[" + String(repeating: "1", count: count) + "A").utf8)
        var whole = KeyDecoder()
        var slow = KeyDecoder()
        #expect(whole.receive(bytes) == bytes.flatMap { slow.receive([$0]) })
    }

    @Test func `an ESC byte is decoded as the Escape key when no other byte follows`() {
        var decoder = KeyDecoder()
        #expect(decoder.receive([0x1B]) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.flush() == [.key(.escape)])
        #expect(!decoder.isWaiting)
        #expect(decoder.receive([0x1B, 0x1B]) == [.key(.escape)])
        #expect(decoder.flush() == [.key(.escape)])
    }

    @Test func `ESC followed only by an opening bracket is decoded as Alt and the bracket`() {
        var decoder = KeyDecoder()
        #expect(decoder.receive(Array("\u{1B}[".utf8)) == [])
        #expect(decoder.flush() == [.key(.alt("["))])
    }

    @Test func `the terminal's own key sequences take precedence over the standard ones`() {
        let own = Key(.function(1), .control)
        var decoder = KeyDecoder(sequences: [Array("\u{1B}[11^".utf8): own])
        #expect(decoder.receive(Array("\u{1B}[11^x".utf8)) == [.key(own), .key(Key("x"))])
    }

    @Test
    func `unknown escape sequences and invalid bytes are skipped, and later input is decoded`() {
        for noise in ["\u{1B}[?1;2c", "\u{1B}[999;999R", "\u{1B}[I", "\u{1B}Oz"] {
            var decoder = KeyDecoder()
            #expect(decoder.receive(Array((noise + "x").utf8)) == [.key(Key("x"))], "\(noise)")
        }
        var decoder = KeyDecoder()
        #expect(decoder.receive([0xFF, 0xC3, 0x28, 0x78]) == [.key(Key("(")), .key(Key("x"))])
    }

    @Test func `an escape sequence that does not end is cut off, and later keys are decoded`() {
        var decoder = KeyDecoder()
        _ = decoder.receive(Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 10_000))
        #expect(decoder.receive(Array("mx".utf8)).last == .key(Key("x")))
    }

    @Test func `random bytes do not crash the decoder of terminal input`() {
        var state: UInt64 = 88_172_645_463_325_252
        func random() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        let special: [UInt8] = [0x1B, 0x5B, 0x4F, 0x3C, 0x3B, 0x4D, 0x7E, 0x32, 0x30, 0x31]
        for _ in 0..<3_000 {
            var decoder = KeyDecoder()
            for _ in 0..<20 {
                let bytes = (0..<(random() % 9)).map { _ in
                    random() % 2 == 0
                        ? special[Int(random() % 10)] : UInt8(truncatingIfNeeded: random())
                }
                _ = decoder.receive(bytes)
                if random() % 4 == 0 { _ = decoder.flush() }
            }
        }
    }

    private static let answers = [
        "\u{1B}]11;rgb:fdfd/f6f6/e3e3\u{1B}\\", "\u{1B}]11;rgb:fdfd/f6f6/e3e3\u{7}",
    ]

    @Test(arguments: answers)
    func `a terminal's background colour reply is never read as keys, even if it comes in parts`(
        _ answer: String
    ) {
        let bytes = Array(answer.utf8)
        for cut in 2..<bytes.count {
            var decoder = KeyDecoder()
            var events = decoder.receive(bytes[..<cut])
            // Nothing came for a while.
            events += decoder.flush()
            events += decoder.receive(bytes[cut...])
            events += decoder.receive(Array("j\u{1B}[?62;4c".utf8))
            #expect(events == [.key(Key("j"))], "cut at \(cut)")
            #expect(decoder.terminalBackground == .light)
            #expect(decoder.hasIdentified)
        }
    }

    @Test
    func `input that only begins like a terminal's background colour reply is decoded as keys`() {
        var decoder = KeyDecoder()
        #expect(decoder.receive(Array("\u{1B}]x".utf8)) == [.key(.alt("]")), .key(Key("x"))])
        // Broken off: another sequence begins.
        #expect(
            decoder.receive(Array("\u{1B}]11;rgb:ff\u{1B}[A".utf8)) == [.key(Key(.up))])
        #expect(decoder.receive(Array("\u{1B}]11;zj".utf8)) == [.key(Key("z")), .key(Key("j"))])
        #expect(decoder.terminalBackground == nil)
        let endless = Array("\u{1B}]11;".utf8) + [UInt8](repeating: 0x66, count: 10_000)
        #expect(decoder.receive(endless).count < 10_000)
        #expect(!decoder.isWaiting)
    }
}

struct TerminalReaderTests {
    /// Messages that never end: what the reader waits on is always readable.
    @Test
    func `the Escape key is recognized even while other events wake the terminal reader nonstop`()
        throws
    {
        let keyboard = Pipe()
        let messages = Pipe()
        try messages.fileHandleForWriting.write(contentsOf: [0])
        var reader = TerminalReader(
            sequences: [:], wakeUp: messages.fileHandleForReading.fileDescriptor,
            input: keyboard.fileHandleForReading.fileDescriptor)
        try keyboard.fileHandleForWriting.write(contentsOf: [0x1B])
        let deadline = Date().addingTimeInterval(20)
        var events: [InputEvent] = []
        while events.isEmpty, Date() < deadline { events = reader.wait() }
        #expect(events == [.key(.escape)])
    }

    @Test
    func `the terminal reader returns keys, or nothing without input, and reports end of input`()
        throws
    {
        let keyboard = Pipe()
        let messages = Pipe()
        var reader = TerminalReader(
            sequences: [:], wakeUp: messages.fileHandleForReading.fileDescriptor,
            input: keyboard.fileHandleForReading.fileDescriptor)
        #expect(reader.wait(timeoutMs: 0).isEmpty)
        try keyboard.fileHandleForWriting.write(contentsOf: Array("a\u{1B}[A".utf8))
        #expect(reader.wait() == [.key(Key("a")), .key(Key(.up))])
        try keyboard.fileHandleForWriting.close()
        #expect(reader.wait().isEmpty && reader.isAtEnd)
    }
}
