//! The container in which a job runs, as data. Everything that confines the job is stated here in one place.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::{Duration, SystemTime};

use bollard::models::{
    ContainerCreateBody, HealthConfig, HostConfig, HostConfigLogConfig, Mount as EngineMount, MountType,
    ResourcesUlimits,
};

use crate::owner::Owner;
use crate::{Access, Job, Limits, Mount, Network};

/// Marks when a container was made, in seconds since 1970.
pub(super) const STARTED_LABEL: &str = "repolab.started";

/// The program that keeps the container alive: it ends when the stream that this process holds open ends.
pub(super) const KEEPER: &str = "cat";

/// Files and sockets that one process may hold open; data loaders need more than a small program.
const OPEN_FILES: i64 = 4096;

/// The part of a job that its container depends on; jobs of one shape could run in each other's.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    image_digest: String,
    mounts: Vec<Mount>,
    limits: Limits,
    network: Network,
}

impl Shape {
    pub(super) fn of(job: &Job, image_digest: &str) -> Self {
        // These are kept by this process and not by the container.
        let ours =
            Limits { timeout: Duration::ZERO, kept_output_bytes: 0, output_ceiling_bytes: 0, ..job.limits };
        Self {
            image_digest: image_digest.to_owned(),
            mounts: job.mounts.clone(),
            limits: ours,
            network: job.network,
        }
    }

    pub(super) fn mounts_from(&self, folder: &Path) -> bool {
        self.mounts.iter().any(|mount| mount.source == folder)
    }
}

/// The call that makes a container.
pub(super) fn container_for(shape: &Shape) -> ContainerCreateBody {
    ContainerCreateBody {
        image: Some(shape.image_digest.clone()),
        hostname: Some("sandbox".to_owned()),
        // Root without capabilities: the job, being another user, cannot end it.
        user: Some("0:0".to_owned()),
        entrypoint: Some(vec![KEEPER.to_owned()]),
        cmd: Some(Vec::new()),
        working_dir: Some("/".to_owned()),
        attach_stdin: Some(true),
        open_stdin: Some(true),
        stdin_once: Some(true),
        healthcheck: Some(HealthConfig { test: Some(vec!["NONE".to_owned()]), ..HealthConfig::default() }),
        labels: Some(labels()),
        host_config: Some(confinement(shape)),
        ..ContainerCreateBody::default()
    }
}

fn confinement(shape: &Shape) -> HostConfig {
    let limits = &shape.limits;
    HostConfig {
        init: Some(true),
        auto_remove: Some(true),
        network_mode: Some(network_mode(shape.network).to_owned()),
        readonly_rootfs: Some(true),
        cap_drop: Some(vec!["ALL".to_owned()]),
        security_opt: Some(vec!["no-new-privileges".to_owned()]),
        memory: Some(signed(limits.memory_bytes)),
        // The same figure again: memory and swap together, so no swap on top.
        memory_swap: Some(signed(limits.memory_bytes)),
        nano_cpus: Some(nano_cpus(limits.cpus)),
        pids_limit: Some(i64::from(limits.processes)),
        ulimits: Some(ulimits(limits)),
        mounts: Some(shape.mounts.iter().map(bind).collect()),
        tmpfs: Some(temporary_folder(shape)),
        // Its pages count as memory of the job, so half of that is a bound and not an addition.
        shm_size: Some(signed(limits.memory_bytes / 2)),
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        ..HostConfig::default()
    }
}

/// What the job finds in its environment: fixed values for what would differ between machines, then its own.
pub(super) fn environment(job: &Job) -> Vec<String> {
    let threads = job.limits.cpus.ceil().max(1.0).to_string();
    let mut variables = BTreeMap::from([
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
        ("HOME", "/tmp"),
        // Libraries ask for the user's name and fail where the image has no entry for the number.
        ("USER", "sandbox"),
        ("LOGNAME", "sandbox"),
        ("MPLCONFIGDIR", "/tmp/matplotlib"),
        ("XDG_CACHE_HOME", "/tmp/cache"),
        // Programs see all cores of the machine, whatever share of them they may use.
        ("OMP_NUM_THREADS", threads.as_str()),
    ]);
    if job.network == Network::None {
        // Without it, pip tries for minutes to reach an index that cannot be reached.
        variables.insert("PIP_NO_INDEX", "1");
    }
    variables.extend(job.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    variables.iter().map(|(name, value)| format!("{name}={value}")).collect()
}

fn labels() -> HashMap<String, String> {
    let started = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
    let mut labels = Owner::current().to_labels();
    labels.insert(STARTED_LABEL.to_owned(), started.to_string());
    labels
}

fn network_mode(network: Network) -> &'static str {
    match network {
        Network::None => "none",
        Network::Bridge => "bridge",
    }
}

fn ulimits(limits: &Limits) -> Vec<ResourcesUlimits> {
    let limit = |name: &str, value: i64| ResourcesUlimits {
        name: Some(name.to_owned()),
        soft: Some(value),
        hard: Some(value),
    };
    vec![limit("nofile", OPEN_FILES), limit("core", 0), limit("fsize", signed(limits.disk_bytes))]
}

fn bind(mount: &Mount) -> EngineMount {
    EngineMount {
        typ: Some(MountType::BIND),
        source: Some(mount.source.to_string_lossy().into_owned()),
        target: Some(mount.target.clone()),
        read_only: Some(mount.access == Access::ReadOnly),
        ..EngineMount::default()
    }
}

/// A folder in memory. Without a size it would be half of the machine's memory, and filling it would look like
/// running out of memory; without a bound on inodes empty files would take memory for free.
fn temporary_folder(shape: &Shape) -> HashMap<String, String> {
    if shape.mounts.iter().any(|mount| mount.target.trim_end_matches('/') == "/tmp") {
        return HashMap::new();
    }
    let bytes = shape.limits.temporary_bytes;
    let inodes = (bytes / 4096).max(1024);
    let options = format!("rw,exec,nosuid,nodev,size={bytes},nr_inodes={inodes},mode=1777");
    HashMap::from([("/tmp".to_owned(), options)])
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "a share of a few thousand cores is far below the limit")]
fn nano_cpus(cpus: f64) -> i64 {
    (cpus * 1e9) as i64
}
