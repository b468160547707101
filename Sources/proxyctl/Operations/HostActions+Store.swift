internal import Capture
internal import ProxydOperations

extension HostActions {
    /// What users may do with the store of a data directory and its daemon. Nothing of a file that
    /// is looked into is changed, and no daemon knows it. Of a central store only annotations are
    /// changed; what is sent again is recorded locally.
    static func of(_ place: StorePlace) -> HostActions {
        let directory = place.directory
        var actions = HostActions()
        actions.exporting = StoreExporter(place)
        actions.certificates = { CertificateReport.facts($0) }
        guard !LeadingFile.isNamed else { return actions }
        actions.replaying = StoreReplayer(place)
        if let central = place.central {
            actions.annotating = CentralAnnotator(central)
            actions.recordsElsewhere = true
            return actions
        }
        let holds = DaemonHolds(directory)
        actions.annotating = StoreAnnotator(directory)
        actions.deleting = StoreDeleter(directory)
        actions.inspecting = DaemonInspector(directory, holds)
        actions.holding = holds
        actions.ruling = StoreRuler(directory)
        actions.steering = DaemonSteering(directory)
        return actions
    }
}
