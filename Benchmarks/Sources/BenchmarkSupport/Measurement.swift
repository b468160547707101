internal import Glibc

/// Processor time of a piece of work, as a table of lines.
///
/// Processor time and not the clock on the wall: other programs on the machine disturb it less. Of
/// several rounds the cheapest counts, as everything that disturbs makes a round dearer.
public enum Measurement {
    private static let roundCount = 7

    /// Prints what one operation costs. `body` does `operationCount` of them and returns something
    /// that depends on its work, so that none of it is optimised away.
    public static func report(
        _ name: String, operationCount: Int, _ body: () throws -> Int
    ) rethrows {
        var best = Int64.max
        var witness = 0
        for _ in 0..<roundCount {
            let before = processorNs()
            witness &+= try body()
            best = min(best, processorNs() &- before)
        }
        let perOperation = Double(best) / Double(max(1, operationCount))
        print("\(padded(name)) \(rounded(perOperation)) ns", witness == .min ? "!" : "")
    }

    /// User and system time of all threads, in nanoseconds.
    public static func processorNs() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func padded(_ name: String) -> String {
        name + String(repeating: " ", count: max(1, 56 - name.count))
    }

    private static func rounded(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let text = "\(tenths / 10).\(tenths % 10)"
        return String(repeating: " ", count: max(0, 10 - text.count)) + text
    }
}
