import ProxydEventLoops
import ProxydHTTPModel
import ProxydTLS
import ProxydTransport

/// Makes scripted connections when the playbook says so.
final class ScriptedConnector: Connecting {
    final class Attempt: Cancellable {
        let target: ConnectTarget
        var completion: ((Result<EstablishedConnection, ExchangeFailure>) -> Void)?
        private unowned let transcript: Transcript

        init(
            _ target: ConnectTarget, _ transcript: Transcript,
            _ completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
        ) {
            self.target = target
            self.transcript = transcript
            self.completion = completion
        }

        func cancel() {
            guard completion != nil else { return }
            completion = nil
            transcript.note("connect cancelled")
        }
    }

    private let transcript: Transcript
    private(set) var attempts: [Attempt] = []
    /// All servers that were to be connected to.
    private(set) var targets: [ConnectTarget] = []

    init(transcript: Transcript) { self.transcript = transcript }

    func connect(
        to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        begin("connect \(target.host):\(target.port)", target, completion)
    }

    func secure(
        _ established: EstablishedConnection, for target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        begin("secure \(target.host):\(target.port)", target, completion)
    }

    func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext) {}

    private func begin(
        _ line: String, _ target: ConnectTarget,
        _ completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        targets.append(target)
        transcript.note(line + (target.tls == nil ? "" : " tls \(target.tls?.verifyName ?? "")"))
        let attempt = Attempt(target, transcript, completion)
        attempts.append(attempt)
        return attempt
    }

    /// Whether someone waits for a connection.
    var isWaitedFor: Bool { attempts.contains { $0.completion != nil } }

    /// Ends the oldest attempt that is still wanted.
    func finish(_ result: Result<EstablishedConnection, ExchangeFailure>) {
        while !attempts.isEmpty {
            let attempt = attempts.removeFirst()
            guard let completion = attempt.completion else { continue }
            attempt.completion = nil
            completion(result)
            return
        }
    }
}
