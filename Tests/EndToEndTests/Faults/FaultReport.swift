import Foundation

/// What a fault's test reached beside what it should: a line for people, and one for
/// docs/RELIABILITY.md.
///
/// Figures of time depend on what else the machine does. They are reported, and said to be missed,
/// but only what is lost, wrong or broken fails a test. `isPart` says that the bar was reached with
/// fewer tries than it asks for.
enum FaultReport {
    static func add(
        _ number: String, _ fault: String, bar: String, reached: String, isReached: Bool,
        isPart: Bool = false
    ) {
        let verdict = !isReached ? "MISSED" : isPart ? "in part" : "reached"
        print("\(number) \(fault): \(reached) (\(bar)): \(verdict)")
        guard let path = ProcessInfo.processInfo.environment["PROXYD_FAULTS_REPORT"] else { return }
        let line = "| \(number) | \(fault) | \(bar) | \(reached) | \(verdict) |\n"
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let file = FileHandle(forWritingAtPath: path) else { return }
        defer { try? file.close() }
        _ = try? file.seekToEnd()
        try? file.write(contentsOf: Data(line.utf8))
    }

    /// A duration as people read it.
    static func text(_ seconds: Double) -> String {
        seconds < 1 ? "\(Int((seconds * 1_000).rounded())) ms" : String(format: "%.1f s", seconds)
    }
}
