//! Clusters of passages whose vectors are near each other, and a graph over their centroids: a search compares the
//! passages of a few clusters, wherever they lie.
//!
//! SPANN (Chen et al., arXiv:2111.08566) for a static host: the graph and the centroids are small and read first.
//! A cluster's codes are one stretch of the file, fetched when a query comes near it. SPANN puts what is near a border
//! into several clusters; measured by what a search reads, that gained nothing here.

mod build;
mod group;
mod store;

pub(super) use build::{ClusterBuild, build};
pub(super) use store::Clusters;
