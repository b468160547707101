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
        let perOperation = Double(try cheapestNs(body)) / Double(max(1, operationCount))
        print("\(padded(name)) \(column(perOperation)) ns")
    }

    /// Prints how many megabytes (10⁶ bytes) of `byteCount` bytes one second of processor time
    /// is enough for.
    public static func reportSpeed(
        _ name: String, byteCount: Int, _ body: () throws -> Int
    ) rethrows {
        print("\(padded(name)) \(column(speed(byteCount, try cheapestNs(body)))) MB/s")
    }

    /// Prints the same for two ways to do the same work, and how many times as fast ours is. Their
    /// rounds alternate, so that what disturbs disturbs both.
    public static func compare(
        _ name: String, byteCount: Int, ours: () throws -> Int, theirs: () throws -> Int
    ) rethrows {
        var oursNs = Int64.max
        var theirsNs = Int64.max
        for _ in 0..<roundCount {
            oursNs = min(oursNs, try roundNs(ours))
            theirsNs = min(theirsNs, try roundNs(theirs))
        }
        let ratio = Double(theirsNs) / Double(max(1, oursNs))
        print(
            "\(padded(name)) \(column(speed(byteCount, oursNs))) MB/s,",
            "Foundation \(column(speed(byteCount, theirsNs))) MB/s: \(column(ratio)) times")
    }

    /// User and system time of all threads, in nanoseconds.
    public static func processorNs() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func cheapestNs(_ body: () throws -> Int) rethrows -> Int64 {
        var best = Int64.max
        for _ in 0..<roundCount { best = min(best, try roundNs(body)) }
        return best
    }

    private static func roundNs(_ body: () throws -> Int) rethrows -> Int64 {
        let before = processorNs()
        let witness = try body()
        let spent = processorNs() &- before
        if witness == .min { print("!") }
        return spent
    }

    /// Bytes a nanosecond are gigabytes a second.
    private static func speed(_ byteCount: Int, _ ns: Int64) -> Double {
        Double(byteCount) * 1_000 / Double(max(1, ns))
    }

    private static func padded(_ name: String) -> String {
        name + String(repeating: " ", count: max(1, 56 - name.count))
    }

    private static func column(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let text = "\(tenths / 10).\(tenths % 10)"
        return String(repeating: " ", count: max(0, 10 - text.count)) + text
    }
}
