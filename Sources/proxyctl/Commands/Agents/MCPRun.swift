internal import Capture
internal import Glibc
internal import ProxydAgents
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydInterchange
internal import ProxydOperations
internal import ProxydProcessSetup
internal import ProxydStoreAnswers
internal import ProxydSystem
internal import Synchronization

/// A conversation with an agent over standard input and output, one JSON message a line.
struct MCPRun {
    private static let chunkByteCount = 64 << 10

    private let server: MCPServer

    init(_ place: StorePlace, _ policy: AgentPolicy) {
        OwnerIdentity.assume(of: place.directory.path)
        server = MCPServer(.of(place, policy))
    }

    /// Answers until standard input ends.
    func serve() throws {
        Signals.unblock()
        let environment = Environment.current
        let output = Mutex(environment.output)
        let conversation = AgentConversation(server) { answer in
            output.withLock {
                $0.write(answer + [0x0A])
                $0.flush()
            }
        }
        guard conversation.start() else {
            throw CommandFailure("the system refuses to start a thread (see ulimit -u)")
        }
        var lines = LineCutter(byteCountMax: MCPServer.messageByteCountMax)
        while let chunk = MCPRun.read(environment.inputDescriptor) {
            var elements: [SplitElement] = []
            lines.receive(chunk.span, into: &elements)
            MCPRun.deliver(elements, to: conversation)
        }
        var last: [SplitElement] = []
        lines.finish(into: &last)
        MCPRun.deliver(last, to: conversation)
        conversation.finish()
    }

    private static func deliver(_ elements: [SplitElement], to conversation: AgentConversation) {
        for element in elements {
            guard case .bytes(let line) = element else {
                conversation.refuseLongLine()
                continue
            }
            // Blank lines are no messages.
            if line.contains(where: { $0 > 0x20 }) { conversation.receive(line) }
        }
    }

    /// The next bytes; nil at the end of the input.
    private static func read(_ descriptor: Int32) -> [UInt8]? {
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: chunkByteCount) { buffer, used in
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                used = max(0, count)
            }
            if count > 0 { return chunk }
            if count < 0, errno == EINTR { continue }
            return nil
        }
    }
}

extension AgentServices {
    /// What agents need of the store of a data directory and its daemon.
    static func of(_ place: StorePlace, _ policy: AgentPolicy) -> AgentServices {
        var services = AgentServices(
            openStore: { try place.reader(asksDaemon: false) }, storeIdentity: { place.identity },
            now: { SystemClock.wallNow() })
        services.commitEnded = { place.commitEnded() }
        services.actions = .of(place)
        services.policy = policy
        services.version = ProgramVersion.number
        services.sql = { statement, onColumns, onRow in
            guard let central = place.central else {
                return try AgentStatement(statement, place.directory).run(onColumns, onRow)
            }
            do throws(StoreError) {
                try central.sql(statement) {
                    onColumns($0)
                } onRow: {
                    onRow($0.map(SQLJSONPrinter.json))
                }
            } catch {
                throw AnswerProblem(error)
            }
        }
        return services
    }
}
