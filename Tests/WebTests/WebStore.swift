import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydOperations
import ProxydParameterCoding
import ProxydStoreTestSupport
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
    /// How often a daemon was asked to commit what has ended.
    let commits = CallCounter()

    /// - Parameter storeName: The name of the store, as if it were one of many in a central store.
    init(
        _ exchanges: [Exchange], actions: HostActions = HostActions(), storeName: String? = nil
    ) throws {
        scratch = try ScratchFolder()
        let directory = DataDirectory(path: scratch.path + "/data")
        let recorder = try Recorder(directory: directory)
        _ = try recorder.wait { recorder.store(exchanges, completion: $0) }
        recorder.stop()
        var services = WebServices(
            openStore: {
                let reader = try StoreReader(directory: directory)
                return storeName.map { NamedReader(reader, $0) } ?? reader
            }, storeIdentity: { 1 },
            waitForChange: { WebStore.quiet.wait(forNs: 100_000_000) },
            now: { 1_800_000_000_000_000_000 })
        services.actions = actions
        services.commitEnded = { [commits] in commits.add() }
        api = try #require(WebAPI(services))
    }

    deinit { api.stop() }

    func response(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String)] = [],
        fields: [(name: String, value: String)] = [], body: String = "", isJSON: Bool = true
    ) -> WebResponse {
        api.router.answer(
            WebRequest(
                method: method, path: path.split(separator: "/").map(String.init),
                query: query.map { (name: $0.0, value: $0.1) },
                fields: HeaderFields(
                    fields + (isJSON ? [("Content-Type", "application/json")] : [])),
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

    /// Status and JSON of any answer.
    func answer(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String)] = [], body: String = ""
    ) throws -> (status: Int, json: JSONValue) {
        let response = response(method, path, query, body: body)
        return (response.status, try JSONReader().read(WebStore.bytes(response)))
    }

    /// All bytes of a body.
    static func bytes(_ response: WebResponse) throws -> [UInt8] {
        guard case .bytes(let bytes) = response.body else { return [] }
        return bytes
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
