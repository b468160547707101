import ProxydEventLoops
import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// Bodies of responses that an actor changes on their way.
struct EditedBodyTests {
    private static let get = "GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n"

    /// Makes a body shout, and keeps its last byte back until the next comes. Proof of Sendable: a
    /// playbook has one loop, and everything here is used on it.
    private final class Shouter: StreamingBodyEditor, @unchecked Sendable {
        private var kept: [UInt8] = []
        /// Where it takes its time: what is done when the playbook says so.
        private var undone: [() -> Void] = []
        private let isSlow: Bool

        init(isSlow: Bool = false) { self.isSlow = isSlow }

        /// Ends the piece at work; false where there is none.
        func step() -> Bool {
            guard !undone.isEmpty else { return false }
            undone.removeFirst()()
            return true
        }

        private func proceed(_ action: @escaping () -> Void) {
            if isSlow { undone.append(action) } else { action() }
        }

        func receive(_ piece: [UInt8], _ done: @escaping ([UInt8]) -> Void) {
            var output: [UInt8] = []
            for byte in piece {
                output += kept
                kept = [byte >= 0x61 && byte <= 0x7A ? byte - 0x20 : byte]
            }
            proceed { done(output) }
        }

        func finish(_ done: @escaping ([UInt8]) -> Void) { proceed { [kept] in done(kept) } }

        func end() -> [ExchangeEvent] { [.appliedRule(ScriptedPace.applied)] }
    }

    /// What a client gets of a response, and the row.
    private func play(
        _ pieces: [String], pace: ScriptedPace? = nil, version: String = "1.1"
    ) throws -> (did: [String], row: RecordingSink.Recorded?) {
        let actor = ScriptedActor(pace: pace, editor: Shouter())
        return try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get.replacing("HTTP/1.1", with: "HTTP/\(version)"))
            book.connects()
            _ = book.did()
            for piece in pieces { book.serverSends(piece) }
            while let pace, !pace.waiting.isEmpty { pace.step() }
            return (book.did().filter { $0.hasPrefix("client") }, book.sink.rows.first)
        }
    }

    @Test func `a response body is edited while it streams, and both versions are recorded`() throws
    {
        let (did, row) = try play(["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab", "cd"])
        #expect(
            did == [
                "client < HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎1⏎A⏎2⏎BC⏎1⏎D⏎0⏎⏎"
            ])
        #expect(row?.state == .complete)
        #expect(row?.responseBody == Array("abcd".utf8))
        #expect(row?.responseBodySent == Array("ABCD".utf8))
        #expect(
            row?.responseHeadSent
                == Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
        #expect(row?.appliedRules == [ScriptedPace.applied])
    }

    @Test func `a response body that its editor leaves unchanged is recorded only once`() throws {
        let (_, row) = try play(["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nAB", "CD"])
        #expect(row?.responseBody == Array("ABCD".utf8))
        #expect(row?.responseBodySent == [])
        #expect(row?.appliedRules == [ScriptedPace.applied])
    }

    @Test
    func `an edited body is delimited by connection close for a client without chunked support`()
        throws
    {
        let (did, _) = try play(
            ["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd"], version: "1.0")
        #expect(did.first?.contains("Content-Length") == false)
        #expect(did.joined().contains("ABC") && did.last == "client closed", "\(did)")
    }

    @Test func `trailers are forwarded after an edited body`() throws {
        let (did, row) = try play([
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nT: 1\r\n\r\n"
        ])
        #expect(did.joined().hasSuffix("0⏎T: 1⏎⏎"), "\(did)")
        #expect(row?.responseTrailers?["T"] == "1")
    }

    @Test func `an edited response body can also be throttled`() throws {
        let (did, row) = try play(
            ["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab", "cd"], pace: ScriptedPace())
        #expect(did.joined().contains("D") && did.joined().hasSuffix("0⏎⏎"), "\(did)")
        #expect(row?.responseBodySent == Array("ABCD".utf8))
    }

    @Test
    func `if the server disconnects, the edited part of a body and the applied rule are recorded`()
        throws
    {
        let actor = ScriptedActor(editor: Shouter())
        let row = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc")
            book.serverBreaks()
            return book.sink.rows.first
        }
        #expect(row?.state == .failed)
        #expect(row?.responseBodySent == Array("ABC".utf8))
        #expect(row?.appliedRules == [ScriptedPace.applied])
    }

    @Test
    func `if the server disconnects, the bytes received are still edited and sent to the client`()
        throws
    {
        let editor = Shouter(isSlow: true)
        let (waiting, did, row) = try Playbook.play(actor: ScriptedActor(editor: editor)) { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab")
            book.serverSends("cd")
            book.serverBreaks()
            _ = book.did()
            let waiting = book.sink.rows.first?.state
            while editor.step() {}
            return (waiting, book.did().filter { $0.hasPrefix("client") }, book.sink.rows.first)
        }
        #expect(waiting != .failed)
        #expect(did.joined().hasPrefix("client < 1⏎A⏎2⏎BC⏎1⏎D⏎"), "\(did)")
        #expect(did.last == "client closed")
        #expect(row?.state == .failed)
        #expect(row?.responseBodySent == Array("ABCD".utf8))
    }

    @Test func `body bytes that arrive while the body editor is busy are edited and sent in order`()
        throws
    {
        let editor = Shouter(isSlow: true)
        let (waiting, first, rest, row) = try Playbook.play(actor: ScriptedActor(editor: editor)) {
            book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nab")
            _ = book.did()
            book.serverSends("cd")
            book.serverSends("ef")
            let waiting = book.did()
            _ = editor.step()
            let first = book.did()
            while editor.step() {}
            return (waiting, first, book.did(), book.sink.rows.first)
        }
        #expect(waiting == [])
        #expect(first == ["client < 1⏎A⏎"])
        #expect(rest.joined().hasPrefix("client < 4⏎BCDE⏎1⏎F⏎0⏎⏎"), "\(rest)")
        #expect(row?.state == .complete)
        #expect(row?.responseBody == Array("abcdef".utf8))
        #expect(row?.responseBodySent == Array("ABCDEF".utf8))
    }

    @Test
    func `the server is paused while too much of its response body waits for the body editor`()
        throws
    {
        let editor = Shouter(isSlow: true)
        let much = String(repeating: "a", count: StreamWatermarks.highByteCount)
        let (full, empty) = try Playbook.play(actor: ScriptedActor(editor: editor)) { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
            _ = book.did()
            book.serverSends(String(much.utf8.count, radix: 16) + "\r\n" + much + "\r\n")
            let full = book.did()
            _ = editor.step()
            return (full, book.did())
        }
        #expect(full.contains { $0.hasSuffix("paused") }, "\(full)")
        #expect(empty.contains { $0.hasSuffix("resumed") }, "\(empty)")
    }

    @Test
    func `if the client disconnects during a body edit, no more is sent or recorded as sent`()
        throws
    {
        let editor = Shouter(isSlow: true)
        let (did, row) = try Playbook.play(actor: ScriptedActor(editor: editor)) { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nab")
            _ = editor.step()
            book.serverSends("cd")
            book.clientBreaks()
            _ = book.did()
            _ = editor.step()
            return (book.did(), book.sink.rows.first)
        }
        #expect(did == [])
        #expect(row?.state == .failed)
        #expect(row?.responseBodySent == Array("A".utf8))
        #expect(row?.appliedRules == [ScriptedPace.applied])
    }

    @Test
    func `if the server disconnects, throttled bytes are sent before the client is disconnected`()
        throws
    {
        let pace = ScriptedPace()
        let (waiting, did, row) = try Playbook.play(actor: ScriptedActor(pace: pace)) { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            book.serverBreaks()
            let waiting = book.sink.rows.first?.state
            _ = book.did()
            while !pace.waiting.isEmpty { pace.step() }
            return (waiting, book.did().filter { $0.hasPrefix("client") }, book.sink.rows.first)
        }
        #expect(waiting != .failed)
        #expect(did == ["client < abc", "client closed"])
        #expect(row?.state == .failed)
    }

    @Test func `the recording limit for bodies applies to the edited body, too`() throws {
        var configuration = EngineConfiguration()
        configuration.bodyCaptureByteCountMax = 3
        let actor = ScriptedActor(editor: Shouter())
        let row = try Playbook.play(configuration: configuration, actor: actor) { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
            book.serverSends("def")
            return book.sink.rows.first
        }
        #expect(row?.responseBody == Array("abc".utf8))
        #expect(row?.responseBodySent == Array("ABC".utf8))
    }
}
