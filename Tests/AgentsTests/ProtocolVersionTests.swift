import Testing

@testable import ProxydAgents

/// Versions of the Model Context Protocol.
struct ProtocolVersionTests {
    @Test(arguments: [
        ("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), (nil, "2025-11-25"),
        ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25"), ("", "2025-11-25"),
    ])
    func `MCP version negotiation picks the requested version if it is known, otherwise 2025-11-25`(
        wanted: String?, version: String
    ) {
        #expect(ProtocolVersion.negotiated(for: wanted) == version)
    }
}
