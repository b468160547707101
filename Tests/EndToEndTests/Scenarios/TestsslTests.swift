import Foundation
import ProxydTestSupport
import Testing

/// testssl.sh's verdict on the TLS that clients get from us.
@Suite(
    .enabled(if: Tool.find("testssl") != nil, "testssl.sh is not installed (package testssl.sh)"))
struct TestsslTests {
    private struct Finding: Decodable {
        let id: String
        let severity: String
        let finding: String
    }

    @Test func `testssl finds no weakness in the TLS that clients are offered`() throws {
        // It speaks TLS: another would wait for a line that ends in our hello, and may forever.
        let certificate = try TestCertificate()
        let proxy = try Daemon(trusting: certificate)
        let origin = try Origin(tls: certificate)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/tunnel.py").path
        let tunnel = try Service(
            Tool.find("python3") ?? "", [script, String(proxy.port), String(origin.port)])
        let port = try tunnel.readLine()
        let report = proxy.data.path + "/testssl.json"
        let outcome = try Tool.run(
            "testssl",
            [
                "--quiet", "--color", "0", "--warnings", "off", "--sneaky", "--openssl",
                Tool.find("openssl") ?? "", "--ip", "127.0.0.1", "-p", "-s", "-f", "-U",
                "--jsonfile", report, "localhost:\(port)",
            ])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: report))
        let findings = try JSONDecoder().decode([Finding].self, from: bytes)
        for wanted in ["TLS1_2", "TLS1_3", "PFS", "heartbleed", "RC4"] {
            #expect(findings.contains { $0.id == wanted }, "\(wanted): \(outcome.text)")
        }
        for finding in findings where !["OK", "INFO", "DEBUG"].contains(finding.severity) {
            // That its openssl(1) has no module for GOST says nothing of us.
            if finding.id == "engine_problem" { continue }
            Issue.record("\(finding.id) is \(finding.severity): \(finding.finding)")
        }
    }
}
