import Foundation
import ProxydCivilTime
import ProxydConfigurationText
import ProxydContentCoding
import ProxydFilter
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import ProxydTestSupport
import Testing

@Suite(.enabled(if: RuleVectorFile.isThere, "no ../shared/vectors beside the repository"))
struct RuleVectorTests {
    private func cases(_ isIncluded: (RuleVectors.Case) -> Bool) throws -> [RuleVectors.Case] {
        try RuleVectors.read()?.messages.filter(isIncluded) ?? []
    }

    @Test func `rules change messages as the shared test vectors expect`() throws {
        let cases = try cases { $0.expect.error == nil }
        #expect(cases.count >= 80)
        for vector in cases {
            do {
                try check(vector)
            } catch {
                Issue.record("\(vector.id): \(error)")
            }
        }
    }

    private func check(_ vector: RuleVectors.Case) throws {
        let rules = try RulesFile.read(vector.rules, file: "rules.toml", now: 0)
        var exchange = try RuleExchange(rules, vector.requestBytes, hits: vector.hits ?? [:])
        exchange.send { mapping, request in
            VectorFiles(vector.files ?? [:]).answer(request, from: mapping)
        }
        if exchange.sent != nil, let response = vector.responseBytes {
            try exchange.answer(response)
        }
        let expected = vector.expect
        if let sent = expected.sent {
            #expect(exchange.sent?.text == sent, "\(vector.id)")
        } else if expected.sentHead == nil {
            #expect(exchange.sent == nil, "\(vector.id)")
        }
        check(exchange.sent, expected.sentHead, expected.sentDecoded, vector)
        if let received = expected.received {
            #expect(exchange.received?.text == received, "\(vector.id)")
        }
        check(exchange.received, expected.receivedHead, expected.receivedDecoded, vector)
        if let base64 = expected.receivedBase64 {
            let wire = exchange.received.map { $0.head + $0.body }
            #expect(wire == Data(base64Encoded: base64).map(Array.init), "\(vector.id)")
        }
        #expect(exchange.end == expected.end, "\(vector.id)")
        #expect(
            exchange.applied.map {
                RuleVectors.Applied(
                    rule: $0.rule, phase: $0.phase.rawValue, outcome: $0.outcome)
            } == expected.applied, "\(vector.id)")
        if let place = expected.to {
            #expect(exchange.destination?.scheme == place.scheme, "\(vector.id)")
            #expect(exchange.destination?.host == place.host, "\(vector.id)")
            #expect(exchange.destination?.port == place.port, "\(vector.id)")
            #expect(exchange.upstream == place.via, "\(vector.id)")
        }
        check(exchange, expected.timing, vector)
    }

    private func check(
        _ exchange: RuleExchange, _ timing: RuleVectors.Timing?, _ vector: RuleVectors.Case
    ) {
        guard let timing else { return }
        if let throttle = timing.throttle {
            #expect(exchange.throttle?.profile.downKbps == throttle.downKbps, "\(vector.id)")
            #expect(exchange.throttle?.profile.upKbps == throttle.upKbps, "\(vector.id)")
            #expect(exchange.throttle?.profile.latencyMs == throttle.latencyMs, "\(vector.id)")
        }
        #expect(exchange.delays[.connect] ?? 0 == timing.connectDelayMs ?? 0, "\(vector.id)")
        #expect(exchange.delays[.request] ?? 0 == timing.requestDelayMs ?? 0, "\(vector.id)")
        #expect(exchange.delays[.response] ?? 0 == timing.responseDelayMs ?? 0, "\(vector.id)")
    }

    private func check(
        _ wire: RuleExchange.Wire?, _ head: String?, _ decoded: String?,
        _ vector: RuleVectors.Case
    ) {
        guard let head else { return }
        let wanted = head.replacing("{length}", with: String(wire?.body.count ?? -1))
        #expect(wire.map { String(decoding: $0.head, as: UTF8.self) } == wanted, "\(vector.id)")
        guard let decoded else { return }
        let body = wire?.body ?? []
        let content = ContentDecoder.decode(
            body.span, contentEncoding: head.contains("gzip") ? "gzip" : "")
        #expect(String(decoding: content.bytes, as: UTF8.self) == decoded, "\(vector.id)")
    }

    @Test
    func `mistakes in rules files are reported where the shared test vectors expect them`()
        throws
    {
        let cases = try cases { $0.expect.error != nil }
        #expect(cases.count > 12)
        for vector in cases {
            let mistake = try #require(vector.expect.error)
            let error = #expect(throws: ConfigurationError.self, "\(vector.id)") {
                _ = try RulesFile.read(vector.rules, file: "rules.toml", now: 0)
            }
            let first = error?.problems.first?.description ?? ""
            #expect(first.hasPrefix("rules.toml:\(mistake.line): "), "\(vector.id): \(first)")
            #expect(
                mistake.says.isEmpty || first.contains(mistake.says), "\(vector.id): \(first)")
            if let column = mistake.column {
                #expect(first.contains("column \(column): "), "\(vector.id): \(first)")
            }
        }
    }

    @Test func `a rule's filter is decided at the moment that the shared test vectors expect`()
        throws
    {
        let names: [FilterMoment: String] = [
            .connection: "connect", .requestHead: "request head", .requestBody: "request body",
            .responseHead: "response head", .responseBody: "response body", .end: "never",
        ]
        let points = try RuleVectors.read()?.filterPoints ?? []
        #expect(points.count > 20)
        for point in points {
            let filter = try Filter.parse(point.filter, now: 0)
            #expect(names[filter.moment] == point.decided, "\(point.filter)")
        }
    }
}

/// The files of a vector, as a disk would have them.
struct VectorFiles {
    private let files: [String: RuleVectors.File]

    init(_ files: [String: RuleVectors.File]) { self.files = files }

    /// What a request is answered with; nil where it goes on.
    func answer(_ request: ForwardedRequest, from mapping: FileMapping) -> RuleAnswer? {
        let (find, text) = find(request.url, in: mapping)
        if find == .missing, mapping.missing == .forward { return nil }
        let extra = HeaderFields(mapping.fields.map { ($0.name, $0.value) })
        let response = FileResponse(
            find, to: request.head.method, request.url, request.head.fields, extra: extra)
        guard case .bytes(let range) = response.content else {
            return RuleAnswer(status: response.status, fields: response.fields)
        }
        let bytes = Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        return RuleAnswer(
            status: response.status, fields: response.fields,
            body: Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }

    private func find(_ url: RawURL, in mapping: FileMapping) -> (ServedFind, String) {
        if files[mapping.path] != nil { return file(mapping.path) }
        guard let path = ServedPath(url.path, stripping: mapping.stripped) else {
            return (.refused, "")
        }
        let names = path.names.map { String(decoding: $0, as: UTF8.self) }
        let place = ([mapping.path] + names).joined(separator: "/")
        let isFolder = files.keys.contains { $0.hasPrefix(place + "/") }
        guard isFolder else { return file(place) }
        if !path.isFolder, !names.isEmpty { return (.folderWithoutSlash, "") }
        return file(place + "/" + mapping.index)
    }

    private func file(_ place: String) -> (ServedFind, String) {
        guard let file = files[place] else { return (.missing, "") }
        if file.linkOutside == true { return (.refused, "") }
        let name = String(place.split(separator: "/").last ?? "")
        let seconds = CookieDateReader.secondsSinceEpoch(file.modified.utf8) ?? 0
        return (
            .file(
                ServedFile(
                    name: name, byteCount: Int64(file.text.unicodeScalars.count),
                    modifiedSeconds: seconds)), file.text
        )
    }
}
