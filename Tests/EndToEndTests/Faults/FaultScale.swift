import Foundation

/// How much is tried of each fault.
enum FaultScale: String, Comparable {
    case quick, full, long

    static let current =
        ProcessInfo.processInfo.environment["PROXYD_FAULTS"].flatMap(FaultScale.init) ?? .quick

    static func < (left: FaultScale, right: FaultScale) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .quick: 0
        case .full: 1
        case .long: 2
        }
    }

    /// A count for this run; a long one is as a full one where nothing else is said.
    static func count(quick: Int, full: Int, long: Int? = nil) -> Int {
        switch current {
        case .quick: quick
        case .full: full
        case .long: long ?? full
        }
    }
}
