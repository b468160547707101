internal import Capture
internal import ProxydControl

/// What a daemon's record lacks, so that a check of it could hold wrongly.
enum RecordGaps {
    /// Of a daemon that was started for one program: whatever was not recorded since its start.
    static func ofOwn(_ directory: DataDirectory) -> [String] {
        guard let status = try? ControlClient(dataDirectory: directory.path).status() else {
            return ["proxyd ended before the command did, or does not answer"]
        }
        let counts = [
            (status.droppedExchangeCount, "exchanges were lost"),
            (status.droppedBodyByteCount, "bytes of bodies were lost"),
            (status.unrecordedExchangeCount ?? 0, "exchanges were not recorded"),
        ]
        return stop(status) + counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }

    /// Of a daemon that also serves others: whether it records now, and has stored what ended.
    /// - Parameter status: Its status, from `DaemonSettling`.
    static func ofRunning(_ status: DaemonStatus) -> [String] {
        guard status.queuedByteCount > 0 else { return stop(status) }
        return stop(status) + ["\(status.queuedByteCount) bytes are not stored yet"]
    }

    private static func stop(_ status: DaemonStatus) -> [String] {
        status.recordingStoppedBecause.map { ["recording is stopped: \($0)"] } ?? []
    }
}
