import Foundation

/// Memory of this process, in bytes.
enum MemoryUse {
    /// What is resident now.
    static var resident: Int { value(of: "VmRSS:") }
    /// The most that was ever resident.
    static var peak: Int { value(of: "VmHWM:") }

    private static func value(of key: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1_024 } ?? 0
    }
}
