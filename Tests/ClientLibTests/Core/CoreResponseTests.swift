import ClientLib
import Foundation
import FoundationXML
import ProxydCharsets
import ProxydClientFoundation
import ProxydClientTestSupport
import ProxydContentCoding
import Testing

struct CoreResponseTests {
    private struct User: Codable, Hashable { let name: String }

    private static func response(
        _ body: String, _ headers: [(String, String)] = [], status: Int = 200,
        method: HTTPMethod = .get
    ) async throws -> (DataRequest, ScriptedServer) {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(status, body, headers: headers)
        }
        return (Session.default.request(server.url, method: method), server)
    }

    @Test func `a JSON response is decoded into a Decodable type`() async throws {
        let (request, _) = try await Self.response(#"{"name":"Ada"}"#)
        #expect(try await request.serializingDecodable(User.self).value == User(name: "Ada"))
    }

    @Test func `a response that cannot be decoded is an error with the DecodingError as its cause`()
        async throws
    {
        let (request, _) = try await Self.response(#"{"name":1}"#)
        let error = await request.serializingDecodable(User.self).response.error
        #expect(error?.kind == .responseSerializationFailed(.decodingFailed))
        #expect(error?.underlying is DecodingError)
    }

    @Test
    func `a JSONValue keeps duplicate members, the order of members and the digits of numbers`()
        async throws
    {
        let (request, _) = try await Self.response(#"{"b":1.10,"a":null,"b":2}"#)
        let value = try await request.serializingJSON().value
        #expect(
            value
                == .object([
                    .init(name: "b", value: .number("1.10")), .init(name: "a", value: .null),
                    .init(name: "b", value: .number("2")),
                ]))
        let without = try await request.serializing(
            JSONResponseSerializer(removesMembersWithNull: true)
        ).value
        #expect(
            without
                == .object([
                    .init(name: "b", value: .number("1.10")),
                    .init(name: "b", value: .number("2")),
                ]))
    }

    @Test
    func `an empty response body is an error, unless the status or the method rules out a body`()
        async throws
    {
        let (request, _) = try await Self.response("")
        #expect(
            await request.serializingData().response.error?.kind
                == .responseSerializationFailed(.inputDataNilOrZeroLength))
        let (empty, _) = try await Self.response("", status: 205)
        #expect(try await empty.serializingString().value == "")
        let (head, _) = try await Self.response("", method: .head)
        #expect(try await head.serializingDecodable(Empty.self).value == Empty.value)
        let (typed, _) = try await Self.response("", status: 205)
        #expect(
            await typed.serializingDecodable(User.self).response.error?.kind
                == .responseSerializationFailed(.invalidEmptyResponse(type: "User")))
    }

    @Test
    func `a response string is decoded according to its byte order mark or Content-Type charset`()
        async throws
    {
        let server = try ScriptedServer { request in
            switch request.head.targetText {
            case "/latin":
                ScriptedServer.response(
                    200, [0xE9], headers: [("Content-Type", "text/plain; charset=iso-8859-1")])
            case "/mark": ScriptedServer.response(200, [0xEF, 0xBB, 0xBF, 0x61])
            case "/none": ScriptedServer.response(200, [0xE9, 0x61])
            default:
                ScriptedServer.response(
                    200, [0xFF, 0xC0], headers: [("Content-Type", "text/plain; charset=utf-8")])
            }
        }
        let session = Session.default
        func text(_ path: String) async -> DataResponse<String> {
            await session.request(server.url + path).serializingString().response
        }
        #expect(await text("/latin").value == "\u{E9}")
        #expect(await text("/mark").value == "a")
        #expect(await text("/none").value == "\u{E9}a")
        #expect(
            await text("/bad").error?.kind
                == .responseSerializationFailed(.stringSerializationFailed(charset: "utf-8")))
    }

    @Test func `property list and XML responses are parsed`() async throws {
        let plist = """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>a</key>\
            <integer>1</integer></dict></plist>
            """
        let (request, _) = try await Self.response(plist)
        #expect(try await request.serializingPropertyList().value == ["a": 1])
        let document = try await request.serializing(.xml).value
        #expect(document.makeParser().parse())
    }

    @Test func `a response body is decoded with the given serializer`() async throws {
        let (request, _) = try await Self.response(#"{"name":"Ada"}"#)
        let user = try await request.serializingResponse(
            using: DecodableResponseSerializer<User>()
        ).value
        #expect(user == User(name: "Ada"))
        let bad = await request.serializingResponse(
            using: DecodableResponseSerializer<[Int]>()
        ).response
        #expect(bad.error?.kind == .responseSerializationFailed(.decodingFailed))
        #expect(bad.data == Array(#"{"name":"Ada"}"#.utf8))
    }

    @Test func `FirstOfSerializer uses the first serializer that succeeds`() async throws {
        let (request, _) = try await Self.response("plain")
        let serializer = FirstOfSerializer<String>([
            JSONResponseSerializer().map { "\($0)" }, StringResponseSerializer(),
        ])
        #expect(try await request.serializing(serializer).value == "plain")
        let none = FirstOfSerializer<JSONValue>([JSONResponseSerializer()])
        #expect(
            await request.serializing(none).response.error?.kind
                == .responseSerializationFailed(.noSerializerMatched))
    }

    @Test func `GoogleXSSIPreprocessor removes the XSSI prefix before the JSON`() async throws {
        let (request, _) = try await Self.response(")]}',\n{\"name\":\"Ada\"}")
        let user = try await request.serializingDecodable(
            User.self, preprocessor: GoogleXSSIPreprocessor()
        ).value
        #expect(user == User(name: "Ada"))
    }

    @Test
    func `responses are not validated by default, and only the first validation error is kept`()
        async throws
    {
        let (request, _) = try await Self.response(
            "no", [("Content-Type", "text/html; charset=utf-8")], status: 404)
        #expect(try await request.serializingString().value == "no")
        let (checked, _) = try await Self.response("no", status: 404)
        let response = await checked.validate(contentType: ["*/*"]).validate()
            .validate(statusCode: [200]).serializingString().response
        #expect(
            response.error?.kind
                == .responseValidationFailed(.unacceptableStatusCode(code: 404)))
        #expect(response.data == Array("no".utf8))
    }

    @Test func `validation compares the response's content type with the request's Accept`()
        async throws
    {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(200, "{}", headers: [("Content-Type", "text/html;x=y")])
        }
        func error(_ accept: String) async -> ClientError.Kind? {
            await Session.default.request(server.url, headers: ["Accept": accept]).validate()
                .serializingData().response.error?.kind
        }
        #expect(await error("text/*;q=0.5, application/json") == nil)
        #expect(await error("*/*") == nil)
        #expect(
            await error("application/json, text/html;q=0")
                == .responseValidationFailed(
                    .unacceptableContentType(
                        acceptable: ["application/json"], actual: "text/html")))
    }

    @Test
    func `a custom validator gets the response head and body, and the error it throws is kept`()
        async throws
    {
        struct Refused: Error {}
        let (request, _) = try await Self.response("body")
        let error = await request.validate { _, head, data in
            if head.status == 200, data == Array("body".utf8) { throw Refused() }
        }.serializingData().response.error
        #expect(error?.kind == .responseValidationFailed(.custom))
        #expect(error?.underlying is Refused)
    }

    @Test func `the value and the error of a response can be mapped`() async throws {
        struct Refused: Error {}
        let (request, _) = try await Self.response("12")
        let response = await request.serializingString().response
        #expect(response.map { $0.count }.value == 2)
        #expect(response.tryMap { _ -> Int in throw Refused() }.error?.underlying is Refused)
        let failed = response.tryMap { _ -> String in throw Refused() }
        #expect(failed.tryMapError { _ in "mended" }.value == "mended")
        #expect(
            failed.mapError { _ in ClientError(.explicitlyCancelled) }.error?.kind
                == .explicitlyCancelled)
    }

    @Test func `the debug description of a response shows text bodies and hides secrets`()
        async throws
    {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(
                200, "{}", headers: [("Content-Type", "application/json"), ("Set-Cookie", "a=s1")])
        }
        let response = await Session.default.request(
            server.url + "/?access_token=s3", method: .post,
            headers: [
                "Authorization": "Bearer s2", "X-Api-Key": "s4", "Content-Type": "application/json",
            ], body: .text(#"{"password":"s5"}"#)
        ).serializingData().response
        let text = response.debugDescription
        #expect(text.contains("[Status Code]: 200"))
        #expect(text.contains("{}"))
        for secret in ["s1", "s2", "s3", "s4", "s5"] { #expect(!text.contains(secret)) }
        #expect(text.contains("X-Api-Key: REDACTED") && text.contains("access_token=REDACTED"))
    }

    @Test(arguments: [nil, Charset.utf8, .windows1252])
    func `a byte order mark overrides every charset and is not part of the text`(
        charset: Charset?
    ) async throws {
        let bodies: [[UInt8]] = [
            [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], [0xFF, 0xFE, 0xE9, 0x00], [0xFE, 0xFF, 0x00, 0xE9],
        ]
        for body in bodies {
            for type in ["text/plain", "text/plain; charset=iso-8859-1", "text/x; charset=utf-8"] {
                let server = try ScriptedServer { _ in
                    ScriptedServer.response(200, body, headers: [("Content-Type", type)])
                }
                let text = await Session.default.request(server.url)
                    .serializingString(charset: charset).response.value
                #expect(text.map { Array($0.unicodeScalars) } == ["\u{E9}"], "\(body) \(type)")
            }
        }
    }

    @Test func `JSON that begins with a byte order mark is decoded`() async throws {
        let (request, _) = try await Self.response("\u{FEFF}{\"name\":\"Ada\"}")
        #expect(try await request.serializingDecodable(User.self).value == User(name: "Ada"))
        _ = try await request.serializingJSON().value
    }
}
