extension Filter {
    /// The only host for which an exchange can pass, canonical (`HostName`); nil if the filter does
    /// not require one by itself. An exchange for another host never passes.
    package var requiredHost: String? { Filter.requiredHost(of: expression) }

    private static func requiredHost(of expression: FilterExpression) -> String? {
        switch expression {
        case .test(.text(.columns([.host]), .isHost(let host))): host
        case .all(let parts): parts.lazy.compactMap(requiredHost).first
        case .everything, .any, .not, .test: nil
        }
    }
}
