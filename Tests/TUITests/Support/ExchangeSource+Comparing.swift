import ProxydAssertions
import ProxydFilter
import ProxydRules

@testable import ProxydTUI

/// Scripted sources have nothing to compare; `StorePlayer` has.
extension ExchangeSource {
    func compared(
        _ filter: Filter, _ matching: MockMatching, anyServer: Bool, progress: (Int) -> Void
    ) throws -> ComparedExchange.Side {
        throw WorkFailure("a script has no requests to compare")
    }
}
