/// Why a request failed: what happened, in which phase, whose fault it is, in which attempt.
///
/// Its text never holds header values or bodies.
public struct ClientError: Error, Sendable {
    /// One reference, so that results stay small and errors are cheap to hand on.
    private let storage: Storage

    private final class Storage: Sendable {
        let kind: Kind
        let phase: Phase
        let fault: Fault
        let message: String
        let attempt: Int
        let underlying: (any Error)?

        init(
            kind: Kind, phase: Phase, fault: Fault, message: String, attempt: Int,
            underlying: (any Error)?
        ) {
            self.kind = kind
            self.phase = phase
            self.fault = fault
            self.message = message
            self.attempt = attempt
            self.underlying = underlying
        }
    }

    /// An error. `phase` and `fault` are those the kind usually has unless told otherwise.
    public init(
        _ kind: Kind, phase: Phase? = nil, fault: Fault? = nil, message: String? = nil,
        attempt: Int = 0, underlying: (any Error)? = nil
    ) {
        storage = Storage(
            kind: kind, phase: phase ?? kind.usualPhase, fault: fault ?? kind.usualFault,
            message: message ?? kind.usualMessage, attempt: attempt, underlying: underlying)
    }

    /// What happened.
    public var kind: Kind { storage.kind }
    /// What was being done.
    public var phase: Phase { storage.phase }
    /// Whose fault it is.
    public var fault: Fault { storage.fault }
    /// One line for a person, without secrets.
    public var message: String { storage.message }
    /// In which attempt it happened, from 1; 0 before the first.
    public var attempt: Int { storage.attempt }
    /// The error of someone else that led to this one: an encoder's, a decoder's, a closure's.
    public var underlying: (any Error)? { storage.underlying }

    /// The same error as one of an attempt.
    func inAttempt(_ attempt: Int) -> ClientError {
        guard self.attempt == 0, attempt > 0 else { return self }
        return ClientError(
            kind, phase: phase, fault: fault, message: message, attempt: attempt,
            underlying: underlying)
    }

    /// An error as a `ClientError`: itself where it is one, else wrapped as `kind`.
    public static func wrapping(_ error: any Error, as kind: Kind) -> ClientError {
        if let error = error as? ClientError { return error }
        if error is CancellationError { return ClientError(.explicitlyCancelled) }
        return ClientError(kind, underlying: error)
    }
}

extension ClientError: CustomStringConvertible {
    /// `fault phase kind: message`, and what an underlying error says; of decoders' and encoders'
    /// errors, which quote values, only the kind and where it happened.
    public var description: String {
        let first = "\(fault.rawValue) \(phase.rawValue) \(kind.name): \(message)"
        return underlying.map { "\(first) (\(UnderlyingErrorText.text(of: $0)))" } ?? first
    }
}
