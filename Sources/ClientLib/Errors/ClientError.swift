/// Why a request failed: the kind of error, the phase, the party at fault and the attempt.
///
/// Its text never contains header values or bodies.
public struct ClientError: Error, Sendable {
    /// A single reference keeps results small and errors cheap to copy.
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

    /// Creates an error. `phase` and `fault` default to the usual ones of the kind.
    public init(
        _ kind: Kind, phase: Phase? = nil, fault: Fault? = nil, message: String? = nil,
        attempt: Int = 0, underlying: (any Error)? = nil
    ) {
        storage = Storage(
            kind: kind, phase: phase ?? kind.usualPhase, fault: fault ?? kind.usualFault,
            message: message ?? kind.usualMessage, attempt: attempt, underlying: underlying)
    }

    /// The kind of error.
    public var kind: Kind { storage.kind }
    /// The phase of the request in which the error occurred.
    public var phase: Phase { storage.phase }
    /// The party that caused the error.
    public var fault: Fault { storage.fault }
    /// One readable line, without secrets.
    public var message: String { storage.message }
    /// The attempt in which the error occurred, counted from 1; 0 before the first.
    public var attempt: Int { storage.attempt }
    /// The error that caused this one, for example from an encoder, a decoder or a closure.
    public var underlying: (any Error)? { storage.underlying }

    /// The same error with the number of an attempt.
    func inAttempt(_ attempt: Int) -> ClientError {
        guard self.attempt == 0, attempt > 0 else { return self }
        return ClientError(
            kind, phase: phase, fault: fault, message: message, attempt: attempt,
            underlying: underlying)
    }

    /// Returns a `ClientError` unchanged and wraps any other error as `kind`.
    public static func wrapping(_ error: any Error, as kind: Kind) -> ClientError {
        if let error = error as? ClientError { return error }
        if error is CancellationError { return ClientError(.explicitlyCancelled) }
        return ClientError(kind, underlying: error)
    }
}

extension ClientError: CustomStringConvertible {
    /// `fault phase kind: message`, followed by the text of an underlying error. Decoding and
    /// encoding errors quote values, so only their kind and coding path are included.
    public var description: String {
        let first = "\(fault.rawValue) \(phase.rawValue) \(kind.name): \(message)"
        return underlying.map { "\(first) (\(UnderlyingErrorText.text(of: $0)))" } ?? first
    }
}
