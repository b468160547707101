import ProxydCaptureModel
import ProxydControl
import ProxydHTTPModel
import ProxydRules
import ProxydTestSupport
import Synchronization

/// A daemon of which only the answers exist.
final class FakeHandler: ControlHandler {
    struct Seen: Sendable {
        var cleared: [String?] = []
        var commitCount = 0
        var changes: [AnnotationChange] = []
        var deliveries: [DeliveryProgress] = []
        var protoFiles: [ProtoFile] = []
        var connections: [ConnectionRecord] = []
        var updates: [ExchangeUpdate] = []
        var recording: [Bool] = []
        var ruleChanges: [RulesUpdate] = []
        var nextID: Int64 = 1
        var heldCompletions: [@Sendable () -> Void] = []
        var holdCommands: [HoldCommand] = []
        /// The content of hold 1.
        var heldBody: [UInt8] = []
        var guarded: [String] = []
        var toggled: [String] = []
        /// The clients that have left.
        var left: [Int64] = []
    }

    private let seen = Mutex(Seen())
    /// What was asked so far.
    var snapshot: Seen { seen.withLock { $0 } }
    /// Opened when the first client has left.
    let firstLeft = Gate()
    /// Whether `clear` answers only when `release` is called.
    let holdsClear: Bool

    init(holdsClear: Bool = false) { self.holdsClear = holdsClear }

    func note(_ change: (inout Seen) -> Void) { seen.withLock { change(&$0) } }

    func release() {
        let held = seen.withLock { seen in
            defer { seen.heldCompletions = [] }
            return seen.heldCompletions
        }
        for completion in held { completion() }
    }

    func commit(completion: @escaping ControlCompletion<Void>) {
        note { $0.commitCount += 1 }
        completion(.success(()))
    }

    func status(completion: @escaping ControlCompletion<DaemonStatus>) {
        var status = DaemonStatus(
            version: "1.0", pid: 7, startedAt: 5, listenAddresses: ["127.0.0.1:8080"],
            dataDirectory: "/data")
        status.recordingStoppedBecause = "disk full"
        completion(.success(status))
    }

    func serverRules(completion: @escaping ControlCompletion<ServerRulesStatus>) {
        completion(
            .success(
                ServerRulesStatus(
                    extraCAFiles: ["/etc/ca.pem"], unverifiedHosts: ["*.test:8443"],
                    deniedNetworks: ["10.0.0.0/8"])))
    }

    func changeRules(
        _ change: RulesUpdate, completion: @escaping ControlCompletion<RulesStatus>
    ) {
        if change == .change(.remove(name: "none")) {
            return completion(.failure(ControlError(.badRules, "first\nsecond")))
        }
        seen.withLock { $0.ruleChanges.append(change) }
        var rules = RulesStatus(
            file: "/r.toml", problems: [], rules: [RulesStatus.Rule(name: "a", isTemporary: true)])
        rules.text = "# \u{2028}\n"
        completion(.success(rules))
    }

    func clear(filter: String?, completion: @escaping ControlCompletion<Int>) {
        if filter == "bad(" {
            return completion(.failure(ControlError(.badFilter, "a parenthesis", column: 4)))
        }
        seen.withLock {
            $0.cleared.append(filter)
            if holdsClear { $0.heldCompletions.append { completion(.success(3)) } }
        }
        if !holdsClear { completion(.success(3)) }
    }

    func annotate(_ change: AnnotationChange, completion: @escaping ControlCompletion<Int>) {
        seen.withLock { $0.changes.append(change) }
        completion(.success(1))
    }

    func noteDelivery(
        _ progress: DeliveryProgress, completion: @escaping ControlCompletion<Void>
    ) {
        seen.withLock { $0.deliveries.append(progress) }
        completion(.success(()))
    }

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

    func nextExchangeID() -> ExchangeID {
        ExchangeID(
            rawValue: seen.withLock { seen in
                defer { seen.nextID += 1 }
                return seen.nextID
            })
    }

    func nextConnectionID() -> ConnectionID {
        ConnectionID(rawValue: nextExchangeID().rawValue)
    }

    func importExchanges(
        connections: [ConnectionRecord], updates: [ExchangeUpdate],
        completion: @escaping ControlCompletion<Void>
    ) {
        seen.withLock {
            $0.connections += connections
            $0.updates += updates
        }
        completion(.success(()))
    }

    func setRecording(_ isOn: Bool, completion: @escaping ControlCompletion<Void>) {
        seen.withLock { $0.recording.append(isOn) }
        completion(.success(()))
    }
}
