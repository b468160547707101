import Capture
import ProxydAgents
import ProxydCaptureModel
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydOperations
import ProxydParameterCoding
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// A store behind a server of agents, which tests ask by messages.
final class AgentRig {
    static let now: Int64 = 1_800_000_000_000_000_000

    let server: MCPServer
    /// How often a daemon was asked to commit what has ended.
    let commits = CallCounter()
    private let scratch: ScratchFolder
    private let recorder: Recorder

    /// - Parameters:
    ///   - fill: Records the exchanges.
    ///   - storeName: The name of the store, as if it were one of many in a central store.
    init(
        policy: AgentPolicy = AgentPolicy(), actions: HostActions = HostActions(),
        fill: (Recorder) throws -> Void = { _ in }, sql: AgentServices.SQLRunner? = nil,
        storeName: String? = nil
    ) throws {
        scratch = try ScratchFolder()
        let directory = DataDirectory(path: scratch.path + "/data")
        recorder = try Recorder(directory: directory)
        try fill(recorder)
        try recorder.wait { [recorder] in recorder.flush(completion: $0) }
        var services = AgentServices(
            openStore: {
                let reader = try StoreReader(directory: directory)
                return storeName.map { NamedReader(reader, $0) } ?? reader
            }, storeIdentity: { 1 },
            now: { AgentRig.now })
        services.actions = actions
        services.policy = policy
        services.sql = sql
        services.version = "1.2.3"
        services.commitEnded = { [commits] in commits.add() }
        server = MCPServer(services)
    }

    deinit { recorder.stop() }

    /// The answer to a message; nil if there is none.
    func answer(_ message: String) throws -> JSONValue? {
        let bytes = server.answer(Array(message.utf8), cancellation: ReadCancellation())
        return try bytes.map { try JSONReader().read($0) }
    }

    /// The bytes of the answer to a call.
    func bytes(_ tool: String, _ arguments: String = "{}") throws -> [UInt8] {
        let message =
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","#
            + #""arguments":\#(arguments)}}"#
        return try #require(
            server.answer(Array(message.utf8), cancellation: ReadCancellation()))
    }

    /// The result of a call that succeeds.
    func call(
        _ tool: String, _ arguments: String = "{}",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        let answer = try JSONReader().read(try bytes(tool, arguments))
        let result = try #require(answer["result"], sourceLocation: sourceLocation)
        #expect(result["isError"]?.bool == false, sourceLocation: sourceLocation)
        return try #require(result["structuredContent"], sourceLocation: sourceLocation)
    }

    /// The message of a call that fails.
    func problem(_ tool: String, _ arguments: String = "{}") throws -> String {
        let result = try JSONReader().read(try bytes(tool, arguments))["result"]
        guard result?["isError"]?.bool == true else { return "no problem" }
        return result?["content"]?.elements.first?["text"]?.text ?? ""
    }

    /// The names of the tools.
    func tools() throws -> [String] {
        let answer = try answer(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
        return answer?["result"]?["tools"]?.elements.compactMap { $0["name"]?.text } ?? []
    }
}

extension Recorder {
    /// Records finished exchanges with the numbers 1, 2, 3, ….
    func store(_ exchanges: [Exchange]) throws {
        _ = try wait { store(exchanges, completion: $0) }
    }
}
