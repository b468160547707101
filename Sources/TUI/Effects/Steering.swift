internal import ProxydOperations

extension ActionID {
    static let toggleRecording = ActionID("recording.toggle")
    static let toggleInterception = ActionID("interception.toggle")
}

extension ActionTable {
    static let steering = [
        Action(
            .toggleRecording, [.alt("r")], [.everywhere],
            "Pause or resume recording; traffic passes either way"),
        Action(
            .toggleInterception, [Key("I")], [.list, .detail],
            "Intercept TLS to its host or not, from the next connection on"),
    ]
}

/// Controls the daemon, off the drawing thread.
enum SteeringWork {
    /// Pauses or resumes recording.
    static func toggleRecording(_ status: StatusFacts) -> Work<Notice?> {
        let isOn = status.recordingStoppedBecause == nil
        return steer { steering in
            try steering.setRecording(!isOn)
            return isOn ? "recording is paused; M-r resumes it" : "recording"
        }
    }

    /// Toggles TLS interception of a host.
    static func toggleInterception(ofHost host: String, port: UInt16) -> Work<Notice?> {
        steer { steering in
            try steering.toggleInterception(ofHost: host, port: port)
                ? "TLS to \(host) is intercepted from the next connection on"
                : "TLS to \(host) is not intercepted from the next connection on"
        }
    }

    private static func steer(
        _ body: @escaping @Sendable (any Steering) throws -> String
    ) -> Work<Notice?> {
        Work("steer", on: .actions, isKept: true) { context in
            guard let steering = context.hostActions.steering else {
                throw WorkFailure("there is no daemon to control here")
            }
            return Notice.success(try body(steering))
        }
    }
}
