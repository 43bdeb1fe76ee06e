'use client';
import { useEffect } from 'react';
import { tryOut } from '../../../app/try-out.js';

export default function Page() {
  useEffect(() => {
    globalThis.tryOut = tryOut;
  }, []);
  return <main>Tea</main>;
}
