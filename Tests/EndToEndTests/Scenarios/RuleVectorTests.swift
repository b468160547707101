import Foundation
import ProxydContentCoding
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// The vectors of rules through a running daemon: what its server gets, what its client gets, and
/// what the record says.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: RuleVectorFile.isThere, "no ../shared/vectors beside the repository"))
struct RuleVectorTests {
    /// They name an upstream proxy, which this daemon does not have; see `UpstreamTests`.
    private static let waiting: Set<String> = ["via"]

    private let data: ScratchFolder
    private let origin: ScriptedOrigin
    private let daemon: Daemon

    init() throws {
        data = try ScratchFolder()
        origin = try ScriptedOrigin()
        try "".write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        daemon = try Daemon(data: data)
    }

    private func putInForce(_ rules: String) throws -> Tool.Outcome {
        try rules.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        return try daemon.proxyctl(["rule", "reload"])
    }

    private func cases(_ isIncluded: (RuleVectors.Case) -> Bool) throws -> [RuleVectors.Case] {
        try #require(try RuleVectors.read()).messages.filter {
            isIncluded($0) && !Self.waiting.contains($0.id)
        }
    }

    @Test func `each rule changes messages as the shared test vectors expect`() throws {
        let cases = try cases { $0.expect.error == nil }
        #expect(cases.count >= 80)
        var number = 0
        for vector in cases {
            let placed = PlacedVector(vector, port: origin.port, folder: data.path)
            let earlier = vector.hits?.values.max() ?? 0
            number += earlier + 1
            do {
                try check(placed, number: number, earlierCount: earlier)
            } catch {
                Issue.record("\(vector.id): \(error)")
            }
        }
    }

    @Test
    func `a rules file that the shared test vectors call invalid leaves current rules in force`()
        throws
    {
        let cases = try cases { $0.expect.error != nil }
        #expect(cases.count > 12)
        #expect(try putInForce("[[rule]]\nname = \"kept\"\nstop = true\n").status == 0)
        for vector in cases {
            let mistake = try #require(vector.expect.error)
            let outcome = try putInForce(vector.rules)
            #expect(outcome.status == 78, "\(vector.id)")
            #expect(outcome.errors.contains("rules.toml:\(mistake.line): "), "\(vector.id)")
            #expect(
                mistake.says.isEmpty || outcome.errors.contains(mistake.says), "\(vector.id)")
        }
        let listed = try daemon.proxyctl(["rule", "list", "--json"])
        #expect(try Row(json: listed.text).text("name") == "kept")
    }

    // MARK: One exchange

    /// Checks what comes of an exchange, which gets a number, after others like it.
    private func check(_ placed: PlacedVector, number: Int, earlierCount: Int) throws {
        let vector = placed.vector
        try placed.writeFiles()
        let reload = try putInForce(placed.rules)
        #expect(reload.status == 0, "\(vector.id): \(reload.errors)")
        for earlier in (number - earlierCount)..<number {
            _ = try exchange(placed, number: earlier)
        }
        let found = try exchange(placed, number: number)
        let expected = vector.expect
        let sent = expected.sent.map(placed.placed)
        if sent != nil || expected.sentHead == nil {
            #expect(found.sent?.text == sent, "\(vector.id)")
        }
        check(found.sent, expected.sentHead, expected.sentDecoded, placed)
        if let received = expected.received {
            #expect(found.received?.text == received, "\(vector.id)")
        }
        check(found.received, expected.receivedHead, expected.receivedDecoded, placed)
        if let base64 = expected.receivedBase64 {
            let bytes = found.received.map { Data($0.head + $0.body) }
            #expect(bytes == Data(base64Encoded: base64), "\(vector.id)")
        }
        #expect(found.end == expected.end, "\(vector.id)")
        try checkRecord(vector, number)
    }

    private func check(
        _ message: WholeMessage?, _ head: String?, _ decoded: String?, _ placed: PlacedVector
    ) {
        guard let head, let decoded else { return }
        let id = placed.vector.id
        let length = String(message?.body.count ?? -1)
        let wanted = placed.placed(head).replacing("{length}", with: length)
        #expect(message.map { String(decoding: $0.head, as: UTF8.self) } == wanted, "\(id)")
        let body = message?.body ?? []
        let content = ContentDecoder.decode(body.span, contentEncoding: "gzip")
        #expect(String(decoding: content.bytes, as: UTF8.self) == decoded, "\(id)")
    }

    private func checkRecord(_ vector: RuleVectors.Case, _ number: Int) throws {
        let shown = try ended(number)
        let applied = (shown.object["applied_rules"] as? [[String: Any]] ?? []).map(Row.init)
        let found = applied.map { [$0.text("rule"), $0.text("phase"), $0.text("outcome")] }
        let wanted = vector.expect.applied?.map { [$0.rule, $0.phase, $0.outcome] }
        #expect(found == wanted, "\(vector.id)")
        guard let timing = vector.expect.timing else { return }
        let delays = [timing.connectDelayMs, timing.requestDelayMs, timing.responseDelayMs]
        let latency = timing.throttle?.latencyMs ?? 0
        let least = delays.reduce(latency) { $0 + ($1 ?? 0) }
        #expect(shown.double("duration_ms") ?? 0 >= Double(least), "\(vector.id)")
    }

    /// The record of an exchange, as soon as it has ended.
    private func ended(_ number: Int) throws -> Row {
        try Eventually.value(orFail: "exchange \(number) does not end") {
            let text = try daemon.proxyctl(["show", String(number), "--json"]).text
            guard !text.isEmpty else { return nil }
            let shown = try Row(json: text)
            return shown.text("state") == "active" ? nil : shown
        }
    }

    private struct Found {
        var sent: WholeMessage?
        var received: WholeMessage?
        var end: String?
    }

    /// Sends the vector's request, and answers it as its server does.
    private func exchange(_ placed: PlacedVector, number: Int) throws -> Found {
        let vector = placed.vector
        var found = Found()
        let client = try RawClient(port: daemon.port)
        client.send(placed.request)
        if vector.expect.sent != nil || vector.expect.sentHead != nil {
            let answer = vector.responseBytes ?? Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
            found.sent = try origin.answer(answer)
        }
        switch vector.expect.end {
        case "reset", "close": found.end = client.readToEnd() == nil ? "reset" : "close"
        case "hang":
            // What is never answered ends with its client.
            _ = try daemon.rows("id>=\(number)", count: 1, final: false)
            #expect(!client.hasInput, "\(vector.id)")
            found.end = "hang"
            client.close()
        default:
            let method = placed.request.prefix { $0 != UInt8(ascii: " ") }
            found.received = try client.readResponse(
                to: HTTPMethod(rawValue: String(decoding: method, as: UTF8.self)))
        }
        #expect(!origin.hasRequest, "\(vector.id): the server is asked")
        return found
    }
}

/// A vector of rules with the names and files of this machine: `.test` is `.localhost`, which is
/// this machine, its URLs have the port of a scripted server, and what it serves is in a folder of
/// the test.
struct PlacedVector {
    let vector: RuleVectors.Case
    private let port: Int
    private let folder: String
    /// The names that are in URLs.
    private let names: Set<String>

    init(_ vector: RuleVectors.Case, port: Int, folder: String) {
        self.vector = vector
        self.port = port
        self.folder = folder
        let texts = [vector.rules, PlacedVector.latin(vector.requestBytes)]
        names = Set(
            texts.flatMap { $0.matches(of: /http:\/\/([a-z]+\.test)/) }.map { String($0.1) })
    }

    /// The text of the rules file.
    var rules: String {
        placed(vector.rules).replacing("127.0.0.1:3000", with: "127.0.0.1:\(port)")
            .replacing("\"/srv/", with: "\"\(folder)/srv/")
    }

    var request: [UInt8] { PlacedVector.bytes(placed(PlacedVector.latin(vector.requestBytes))) }

    /// A text of the vector, with the authorities that replace its names here.
    func placed(_ text: String) -> String {
        let placed = names.reduce(text) {
            $0.replacing("http://\($1)", with: "http://\($1):\(port)")
                .replacing("Host: \($1)\r\n", with: "Host: \($1):\(port)\r\n")
        }
        return placed.replacing(".test", with: ".localhost")
    }

    /// Writes what it serves.
    func writeFiles() throws {
        let manager = FileManager.default
        for (path, file) in vector.files ?? [:] {
            let place = folder + path
            try manager.createDirectory(
                atPath: (place as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true)
            guard file.linkOutside != true else {
                try? manager.removeItem(atPath: place)
                try manager.createSymbolicLink(
                    atPath: place, withDestinationPath: folder + "/srv/secret.txt")
                continue
            }
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
            let bytes = PlacedVector.bytes(file.text)
            _ = manager.createFile(
                atPath: place, contents: Data(bytes),
                attributes: [.modificationDate: format.date(from: file.modified) ?? Date()])
        }
    }

    /// One character a byte.
    private static func latin(_ bytes: [UInt8]) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func bytes(_ latin: String) -> [UInt8] {
        latin.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}
