internal import Capture
internal import ProxydOperations

extension HostActions {
    /// What users may do with the store of a data directory and its daemon. Nothing of a file that
    /// is looked into is changed, and no daemon knows it.
    static func of(_ directory: DataDirectory) -> HostActions {
        var actions = HostActions()
        actions.exporting = StoreExporter(directory)
        actions.certificates = { CertificateReport.facts($0) }
        guard !LeadingFile.isNamed else { return actions }
        let holds = DaemonHolds(directory)
        actions.annotating = StoreAnnotator(directory)
        actions.deleting = StoreDeleter(directory)
        actions.replaying = StoreReplayer(directory)
        actions.inspecting = DaemonInspector(directory, holds)
        actions.holding = holds
        actions.ruling = StoreRuler(directory)
        actions.steering = DaemonSteering(directory)
        return actions
    }
}
