extension Filter {
    /// The one host that an exchange must be for to pass, canonical (`HostName`); nil where the
    /// filter does not say so by itself. Another host never passes.
    package var requiredHost: String? { Filter.requiredHost(of: expression) }

    private static func requiredHost(of expression: FilterExpression) -> String? {
        switch expression {
        case .test(.text(.columns([.host]), .isHost(let host))): host
        case .all(let parts): parts.lazy.compactMap(requiredHost).first
        case .everything, .any, .not, .test: nil
        }
    }
}
