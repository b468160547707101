import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydContentCoding
import Testing

struct ErrorDescriptionTests {
    private enum Color: String, Decodable { case red }
    private struct Page: Decodable { let colors: [Color] }

    @Test(arguments: [
        #"{"colors":["hunter2"]}"#, #"{"colors":[{"hunter2":1}]}"#, #"{"colors":"hunter2"}"#,
        #"{"colors":[hunter2]}"#, #"{"hunter2":1}"#,
    ])
    func `the description of a decoding error contains nothing from the response body`(body: String)
        async throws
    {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(200, body, headers: [("Content-Type", "application/json")])
        }
        let error = await Session.default.request(server.url).serializingDecodable(Page.self)
            .response.error
        let shown = try #require(error)
        #expect(!"\(shown)".contains("hunter2"))
        #expect(!String(reflecting: shown).contains("hunter2"))
    }

    @Test func `the description of a decoding error has its kind and its coding path`() {
        let context = DecodingError.Context(
            codingPath: [Key(stringValue: "colors"), Key(intValue: 0)],
            debugDescription: "hunter2 is no color")
        func text(_ error: any Error) -> String {
            let kind = ClientError.Kind.responseSerializationFailed(.decodingFailed)
            return "\(ClientError(kind, underlying: error))"
        }
        #expect(
            text(DecodingError.dataCorrupted(context)).hasSuffix(
                "(DecodingError.dataCorrupted at colors.0)"))
        #expect(
            text(DecodingError.typeMismatch(Int.self, context)).hasSuffix(
                "(DecodingError.typeMismatch, wanted Int, at colors.0)"))
        #expect(
            text(DecodingError.keyNotFound(Key(stringValue: "name"), context)).hasSuffix(
                "(DecodingError.keyNotFound, wanted name, at colors.0)"))
        let encoding = EncodingError.Context(codingPath: [], debugDescription: "hunter2")
        #expect(
            text(EncodingError.invalidValue("hunter2", encoding)).hasSuffix(
                "(EncodingError.invalidValue at the top)"))
        #expect(text(Refusal.late).hasSuffix("(late)"))
    }

    private enum Refusal: Error { case late }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int?
        init(stringValue: String) { self.stringValue = stringValue }
        init(intValue: Int) { (self.stringValue, self.intValue) = (String(intValue), intValue) }
    }
}

/// What a program shows its user: `localizedDescription`.
struct LocalizedErrorTests {
    private static let samples: [any Error & Sendable] = [
        ClientError(.timedOut(.connect)), ClientError(.bodyUnavailable, message: "why"),
        ProxyError.closedEarly, ProxySettingsError.badHost, ProxyHandshakeError.notAllowed,
        ServerTrustError.noCertificatesFound, RedirectRefusal.loop, ReplayRefusal.tunnel,
        CookieRefusal.tooLong, AuthenticationError.missingCredential,
        ContentCodingError.tooManyLayers(count: 9),
        JSONPathError.badPath, JSONWritingError.tooDeep,
        MultipartEncodingError.notAFile(path: "/"), ParameterEncodingError.rootIsNotObject,
        ParameterTreeError.tooManyValues, PropertyListWritingError.nullHasNoForm,
        ExchangeFailure(origin: .client, kind: .refused, message: "why"),
    ]

    @Test(arguments: samples)
    func `the localizedDescription of an error equals its description`(error: any Error & Sendable)
    {
        #expect(error.localizedDescription == "\(error)")
        #expect(!error.localizedDescription.contains("operation could not be completed"))
    }

    @Test(
        arguments: [
            CookieRefusal.tooLong, JSONPathError.badPath,
            JSONWritingError.notFinite, JSONWritingError.tooDeep,
            MultipartEncodingError.notAFile(path: "/"), ParameterTreeError.tooManyValues,
            PropertyListWritingError.notFinite, PropertyListWritingError.nullHasNoForm,
        ] as [any Error & Sendable])
    func `the localizedDescription of an error is readable text, not the name of an enum case`(
        error: any Error & Sendable
    ) {
        #expect(error.localizedDescription.contains(" "))
    }

    @Test(
        arguments: [
            .badDestination, .badCredential, .malformedResponse, .notSOCKS5, .notSOCKS4,
            .generalFailure, .noAcceptableMethod, .authenticationFailed, .notAllowed,
            .networkUnreachable, .hostUnreachable, .connectionRefused, .timeToLiveExpired,
            .commandNotSupported, .addressTypeNotSupported, .unknownReply(9), .malformedReply,
        ] as [ProxyHandshakeError])
    func `every proxy handshake error has a readable description`(error: ProxyHandshakeError) {
        #expect("\(error)".contains(/^(?:a|the)\ [a-z]/))
        #expect(error.localizedDescription == "\(error)")
    }

    @Test(
        arguments: [JSONEncoding.default, PropertyListEncoding.xml, PropertyListEncoding.binary]
            as [any ParameterEncoding & Sendable])
    func `an error about a parameter value names the parameter's key`(
        encoding: any ParameterEncoding & Sendable
    ) async {
        let error = await Session.default.request(
            "http://127.0.0.1:1/", method: .post,
            parameters: ["a": [1, ["b": Double.nan] as [String: Any]] as [Any]],
            encoding: encoding
        ).serializingData().response.error
        #expect(error?.localizedDescription.contains("“a[1][b]”") == true, "\(error as Any)")
        #expect(error?.underlying?.localizedDescription.contains("infinite") == true)
    }

    @Test func `every public error type of the client's modules conforms to LocalizedError`() throws
    {
        var names: Set<String> = []
        var worded: Set<String> = []
        for folder in [
            "ClientLib", "ParameterCoding", "PropertyLists", "ContentCoding", "CurlCommand",
            "HTTPModel",
        ] {
            for source in try Repository.sources(below: "Sources/\(folder)") {
                let declared = /public (?:struct|enum|final class) (\w+): [^{]*\bError\b/
                names.formUnion(source.matches(of: declared).map { String($0.1) })
                let extended = /extension (?:\w+\.)?(\w+): DescribedError/
                worded.formUnion(source.matches(of: extended).map { String($0.1) })
            }
        }
        #expect(names.count > 20)
        #expect(names.subtracting(worded) == [])
    }
}
