import Testing

/// The faults of docs/RELIABILITY.md against the real programs, one after the other: what one of
/// them measures, another would disturb.
///
/// `PROXYD_FAULTS` says how often each is tried (`quick`, `full`, `long`), `PROXYD_FAULTS_REPORT`
/// names a file that gets a line for each figure, `PROXYD_PROGRAMS` the folder of the programs.
@Suite(.serialized) struct FaultMatrix {}
