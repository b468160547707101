import ProxydCaptureModel
import ProxydControl
import ProxydEventLoops
import ProxydHTTPModel
import Synchronization

/// A control socket that answers, on the data directory of a sample store.
final class RunningDaemon {
    let handler = LocalHandler()
    let server: ControlServer
    private let group: EventLoopGroup

    init(_ store: SampleStore) throws {
        group = try EventLoopGroup(count: 1)
        server = try ControlServer(
            dataDirectory: store.directoryPath, on: group.loops[0], handler: handler)
    }

    deinit {
        server.stop()
        group.shutdown()
    }
}

/// A daemon's control side, as far as `proxyctl` speaks with it.
final class LocalHandler: ControlHandler {
    struct Seen: Sendable {
        var cleared: [String?] = []
        var commitCount = 0
        var changes: [AnnotationChange] = []
        var protoFiles: [ProtoFile] = []
    }

    /// How it answers a reader that asks for a commit.
    enum CommitAnswer: Sendable {
        case done
        /// As a daemon that does not know the command.
        case unknown
        case never
    }

    private let seen = Mutex(Seen())
    var snapshot: Seen { seen.withLock { $0 } }
    let commitAnswer = Mutex(CommitAnswer.done)

    func commit(completion: @escaping ControlCompletion<Void>) {
        seen.withLock { $0.commitCount += 1 }
        switch commitAnswer.withLock({ $0 }) {
        case .done: completion(.success(()))
        case .unknown: completion(.failure(ControlError(.badMessage, "unknown command")))
        case .never: break
        }
    }

    func status(completion: @escaping ControlCompletion<DaemonStatus>) {
        var status = DaemonStatus(
            version: "9.9", pid: 42, startedAt: 1_763_632_800_000_000_000,
            listenAddresses: ["127.0.0.1:8080", "[::1]:8080"], dataDirectory: "/data")
        status.storedExchangeCount = 6
        status.processorNs = 1_500_000_000
        status.openDescriptorCount = 12
        status.recordingStoppedBecause = "the disk is full"
        completion(.success(status))
    }

    func serverRules(completion: @escaping ControlCompletion<ServerRulesStatus>) {
        completion(
            .success(
                ServerRulesStatus(extraCAFiles: [], unverifiedHosts: [], deniedNetworks: [])))
    }

    func clear(filter: String?, completion: @escaping ControlCompletion<Int>) {
        seen.withLock { $0.cleared.append(filter) }
        completion(.success(filter == "(host:none) pinned=no" ? 0 : 2))
    }

    func annotate(_ change: AnnotationChange, completion: @escaping ControlCompletion<Int>) {
        seen.withLock { $0.changes.append(change) }
        if change.id.rawValue == 99 {
            return completion(.failure(ControlError(.notFound, "there is no exchange 99")))
        }
        completion(.success(1))
    }

    func noteDelivery(
        _ progress: DeliveryProgress, completion: @escaping ControlCompletion<Void>
    ) { completion(.success(())) }

    func addProtoFile(
        _ file: ProtoFile, completion: @escaping ControlCompletion<Void>
    ) {
        seen.withLock { $0.protoFiles.append(file) }
        completion(.success(()))
    }

    func removeProtoFile(named name: String, completion: @escaping ControlCompletion<Void>) {
        let isThere = seen.withLock { seen in
            defer { seen.protoFiles.removeAll { $0.name == name } }
            return seen.protoFiles.contains { $0.name == name }
        }
        completion(
            isThere ? .success(()) : .failure(ControlError(.notFound, "there is no such file")))
    }

    func nextExchangeID() -> ExchangeID { ExchangeID(rawValue: 1) }
    func nextConnectionID() -> ConnectionID { ConnectionID(rawValue: 1) }

    func importExchanges(
        connections: [ConnectionRecord], updates: [ExchangeUpdate],
        completion: @escaping ControlCompletion<Void>
    ) { completion(.success(())) }

    func setRecording(_ isOn: Bool, completion: @escaping ControlCompletion<Void>) {
        completion(.success(()))
    }
}
