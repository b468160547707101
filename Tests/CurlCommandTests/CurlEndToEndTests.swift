import Foundation
import ProxydCurlCommand
import ProxydHTTPModel
import Testing

/// What real shells and a real curl make of a command.
@Suite(.enabled(if: Shell.areThere, Shell.absence))
struct CurlEndToEndTests {
    static let every = (1...255).map(UInt8.init)
    /// Bytes a field value may have.
    static let fieldBytes = [0x09] + (0x20...0xFF).filter { $0 != 0x7F }.map(UInt8.init)

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let request: @Sendable (_ port: UInt16) -> Request
        var testDescription: String { name }
    }

    static func request(
        _ head: String, body: [UInt8] = []
    ) -> @Sendable (UInt16) -> Request {
        { CapturedRequest.make(head.replacing("PORT", with: "\($0)"), port: $0, body: body) }
    }

    static let cases: [Case] = [
        Case(
            name: "curl's own head",
            request: request(
                "GET / HTTP/1.1\nHost: 127.0.0.1:PORT\nUser-Agent: curl/7.88.1\nAccept: */*")),
        Case(name: "only Host", request: request("GET /a?b=c HTTP/1.1\nHost: 127.0.0.1:PORT")),
        Case(name: "no Host at all", request: request("GET / HTTP/1.0")),
        Case(
            name: "Host last and of another name",
            request: request(
                "GET / HTTP/1.1\nAccept: a\nX: 1\nhOST:  example.com")),
        Case(
            name: "order, spelling, spacing, duplicates, empty values",
            request: request(
                """
                GET / HTTP/1.1
                Host: 127.0.0.1:PORT
                x-b:1
                X-A:   two  words\u{20}
                x-b: 3
                X-Empty:
                ACCEPT: a
                accept: b
                user-agent:
                Accept-Encoding: gzip, br
                Cookie: a=b; c="d"
                Authorization: Basic QTpC
                Connection: keep-alive, TE
                TE: trailers
                X-Quotes: ' " ` $HOME $(id) \\ ! % ; # @file ~ * é 日本
                """)),
        Case(
            name: "dot segments, globs, double slashes, odd escapes",
            request: request(
                "GET //a/../b/./%2e%2E/[1-3]{x,y}//%zz?q=../..&r=[]|'x' HTTP/1.1\nHost: h")),
        Case(name: "an empty query", request: request("GET /a? HTTP/1.1\nHost: h")),
        Case(
            name: "a fragment, a backslash and more in the target",
            request: request(
                "GET /a#b\\\"<>^` HTTP/1.1\nHost: h")),
        Case(name: "UTF-8 in the target", request: request("GET /é/日 HTTP/1.1\nHost: h")),
        Case(name: "a target of an asterisk", request: request("OPTIONS * HTTP/1.1\nHost: h")),
        Case(
            name: "a method of its own", request: request("M!#$%&'*+-.^_`|~0 / HTTP/1.1\nHost: h")),
        Case(name: "HEAD", request: request("HEAD /x HTTP/1.1\nHost: h")),
        Case(name: "POST without a body or a length", request: request("POST / HTTP/1.1\nHost: h")),
        Case(
            name: "POST of no bytes",
            request: request(
                "POST / HTTP/1.1\nHost: h\nContent-Length: 0\nAccept: x")),
        Case(
            name: "text",
            request: request(
                "PUT / HTTP/1.1\nContent-Length: 22\nHost: h\nContent-Type: text/plain",
                body: Array("it's $HOME\n\r`id`\t!%s\\\n".utf8.filter { $0 != 13 } + [0x41]))),
        Case(
            name: "text that begins with an at sign, no type",
            request: request(
                "POST / HTTP/1.1\nHost: h\nContent-Length: 5", body: Array("@/etc".utf8))),
        Case(
            name: "GET with a body",
            request: request(
                "GET / HTTP/1.1\nHost: h\nContent-Length: 3\nContent-Type: a/b",
                body: [1, 0, 255])),
        Case(
            name: "every byte",
            request: request(
                "POST / HTTP/1.1\nHost: h\nContent-Length: 512\nContent-Type: a/b",
                body: Array(0...255) + Array(0...255).reversed())),
        Case(
            name: "text longer than a word may be",
            request: request(
                "POST / HTTP/1.1\nHost: h\nContent-Length: 300000",
                body: Array(repeating: UInt8(ascii: "-"), count: 300_000))),
        Case(
            name: "bytes longer than a word may be",
            request: request(
                "POST / HTTP/1.1\nHost: h\nContent-Length: 2000000",
                body: (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })),
        Case(
            name: "bytes in a value and a target that are not UTF-8",
            request: { port in
                CapturedRequest.make(
                    bytes: Array("GET /".utf8) + every.filter { $0 > 0x20 && $0 != 0x7F }
                        + Array(" HTTP/1.1\r\nHost: h\r\nX: a".utf8) + fieldBytes
                        + Array("z\r\n\r\n".utf8), port: port, body: [])
            }),
    ]

    /// The head as captured, but for Content-Length, which curl counts and writes last.
    private static func headOfCurl(_ request: Request) -> [UInt8] {
        guard let head = request.head else { return [] }
        var lines = String(decoding: head.bytes.dropLast(4), as: UTF8.self)
            .components(separatedBy: "\r\n")
        let count = lines.count
        lines.removeAll { $0.lowercased().hasPrefix("content-length:") }
        guard lines.count < count else { return head.bytes }
        lines.append("Content-Length: \(request.body.kept.count)")
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    @Test(arguments: cases, Shell.allCases)
    func `a curl command sends the captured request byte for byte, except for Content-Length`(
        item: Case, shell: Shell
    ) throws {
        let server = try RecordingServer()
        let request = item.request(server.port)
        let command = try #require(
            CurlCommand(request, options: CurlOptions(redaction: nil)))
        #expect(command.omissions.isEmpty)
        #expect(!command.text(.oneLine).lowercased().contains("content-length"))
        let expected = Self.headOfCurl(request) + request.body.kept
        for layout in [CurlLayout.oneLine, .multiLine] {
            let script = try shell.start(command.text(layout))
            let bytes = server.record(expectedByteCount: expected.count)
            #expect(bytes == expected, "\(ShellWord.printfFormat(bytes.prefix(2_000)))")
            _ = try script.finish()
        }
    }

    @Test(arguments: Shell.allCases, [[], Array("a body".utf8), [0xFF, 0]])
    func `a curl command for a captured chunked request sends it chunked as well`(
        shell: Shell, body: [UInt8]
    ) throws {
        let server = try RecordingServer()
        let request = CapturedRequest.make(
            "POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked", port: server.port, body: body)
        let chunk = body.isEmpty ? [] : Array("\(body.count)\r\n".utf8) + body + [13, 10]
        let head = try #require(request.head)
        let expected = head.bytes + chunk + Array("0\r\n\r\n".utf8)
        let command = try #require(
            CurlCommand(request, options: CurlOptions(redaction: nil)))
        let script = try shell.start(command.text(.oneLine))
        #expect(server.record(expectedByteCount: expected.count) == expected)
        _ = try script.finish()
    }

    @Test(arguments: Shell.allCases)
    func `a redacted curl command can be run, and Content-Length is that of the redacted body`(
        shell: Shell
    ) throws {
        let server = try RecordingServer()
        let request = CapturedRequest.make(
            """
            POST /a?token=1&b=2 HTTP/1.1
            Host: h
            Authorization: Bearer secret
            Content-Type: application/x-www-form-urlencoded
            Content-Length: 14
            """, port: server.port, body: Array("a=b&password=c".utf8))
        let command = try #require(CurlCommand(request))
        let expected = """
            POST /a?token=REDACTED&b=2 HTTP/1.1
            Host: h
            Authorization: Bearer REDACTED
            Content-Type: application/x-www-form-urlencoded
            Content-Length: 21

            a=b&password=REDACTED
            """.replacing("\n", with: "\r\n")
        let script = try shell.start(command.text(.multiLine))
        let bytes = server.record(expectedByteCount: expected.utf8.count)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        _ = try script.finish()
    }
}

/// A server on the loopback interface that takes one connection, keeps every byte it is sent
/// and answers 200 once it has as many as it waits for.
final class RecordingServer {
    let port: UInt16
    private let listener: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, byteCount) == 0 && listen(socket, 1) == 0
                    && getsockname(socket, $0, &byteCount) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(listener) }

    /// The bytes of the next connection, until its end. A peer that stops early is given up.
    func record(expectedByteCount: Int) -> [UInt8] {
        guard isReadable(listener) else { return [] }
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var hasAnswered = false
        while true {
            if !hasAnswered, bytes.count >= expectedByteCount {
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
                shutdown(connection, Int32(SHUT_WR))
                hasAnswered = true
            }
            guard isReadable(connection) else { return bytes }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 10_000) == 1
    }
}
