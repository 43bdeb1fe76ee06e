//! Clusters of passages whose vectors are near each other, and a graph over groups of them: a search compares the
//! passages of a few clusters, wherever they lie.
//!
//! SPANN (Chen et al., arXiv:2111.08566) for a static host. Clusters near each other are a group. The graph over the
//! groups is small and read first. So are the clusters' centroids if they are few; else a group's are fetched when a
//! query comes near it. So is a cluster's stretch of the file, its codes. These have four bits a component, or two
//! where passages are many: such codes tell which may be the nearest, whose rows are compared then. There each passage
//! is in two clusters, the second one chosen as SOAR does. SPANN's choice for what is near a border, the next nearest
//! clusters, gained nothing by what a search reads.

mod build;
mod group;
mod store;

pub(super) use build::{ClusterBuild, build};
pub(super) use group::both;
pub(super) use store::Clusters;
