/// A port or a range of ports: `443` or `8000-8999`.
package struct PortRange: Sendable, Hashable {
    /// The ports, including both ends.
    package let ports: ClosedRange<UInt16>

    /// Parses `PORT` or `FIRST-LAST`, from 1 to 65535; nil for anything else.
    package init?(_ text: String) {
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            .map { UInt16($0) }
        guard let first = ends.first ?? nil, let last = ends.last ?? nil,
            first > 0, first <= last
        else { return nil }
        ports = first...last
    }

    /// The range in the configuration's format.
    package var text: String {
        ports.count == 1 ? "\(ports.lowerBound)" : "\(ports.lowerBound)-\(ports.upperBound)"
    }
}
