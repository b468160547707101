import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydOperations
import ProxydParameterCoding
import ProxydSystem
import ProxydTestSupport
import ProxydWeb
import ProxydWebServer
import Testing

/// A store with a few exchanges behind the interface, asked without sockets.
final class WebStore {
    /// Never signalled: no store of these tests changes by itself.
    private static let quiet = Semaphore()

    private let scratch: ScratchFolder
    private let api: WebAPI

    init(_ exchanges: [Exchange], actions: HostActions = HostActions()) throws {
        scratch = try ScratchFolder()
        let directory = DataDirectory(path: scratch.path + "/data")
        let recorder = try Recorder(directory: directory)
        _ = try recorder.wait { recorder.store(exchanges, completion: $0) }
        recorder.stop()
        var services = WebServices(
            openStore: { try StoreReader(directory: directory) }, storeIdentity: { 1 },
            waitForChange: { WebStore.quiet.wait(forNs: 100_000_000) },
            now: { 1_800_000_000_000_000_000 })
        services.actions = actions
        api = try #require(WebAPI(services))
    }

    deinit { api.stop() }

    func response(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String)] = [],
        fields: [(name: String, value: String)] = [], body: String = ""
    ) -> WebResponse {
        api.router.answer(
            WebRequest(
                method: method, path: path.split(separator: "/").map(String.init),
                query: query.map { (name: $0.0, value: $0.1) },
                fields: HeaderFields(fields + [("Content-Type", "application/json")]),
                body: Array(body.utf8)))
    }

    /// The JSON of a successful answer.
    func json(
        _ path: String, _ query: [(String, String)] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        let response = response(.get, path, query)
        #expect(response.status == 200, sourceLocation: sourceLocation)
        return try JSONReader().read(WebStore.bytes(response))
    }

    /// All bytes of a body.
    static func bytes(_ response: WebResponse) throws -> [UInt8] {
        guard case .bytes(let bytes) = response.body else { return [] }
        return bytes
    }

    static func exchange(
        _ id: Int64, _ target: String = "/", method: HTTPMethod = "GET", status: Int = 200,
        type: String = "text/plain", body: String = "", requestType: String = "text/plain",
        requestBody: String = ""
    ) -> Exchange {
        let url = RawURL(scheme: "http", host: "api.test", port: 80, origin: Array(target.utf8))
        let head = RequestHead(
            method: method, target: Array(target.utf8),
            fields: HeaderFields([("Host", "api.test"), ("Content-Type", requestType)]))
        let response = Response(
            head: ResponseHead(
                status: status, reason: "", fields: HeaderFields([("Content-Type", type)])),
            body: Body(Array(body.utf8)))
        var timeline = Timeline(wallStart: 1_763_632_800_000_000_000, start: 0)
        for (moment, time) in WebStore.moments(id) { timeline[moment] = time }
        return Exchange(
            id: ExchangeID(rawValue: id), state: .complete,
            request: Request(url: url, head: head, body: Body(Array(requestBody.utf8))),
            response: response, timeline: timeline)
    }

    /// Later exchanges take longer: exchange 2 takes 20 ms.
    private static func moments(_ id: Int64) -> [(Moment, Int64)] {
        let end = id * 10_000_000
        return [
            (.requestFirstByte, 0), (.requestLastByte, 100_000), (.connectStart, 300_000),
            (.connectEnd, 1_000_000), (.sendStart, 1_000_000), (.sendEnd, 1_200_000),
            (.responseFirstByte, end - 1_000_000), (.responseLastByte, end - 500_000),
            (.delivered, end),
        ]
    }
}

extension JSONValue {
    /// A member of an object.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The elements of an array.
    var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }
}
